// expect: ok, thrown
// why: the last would be a number of 2^53 bits
for (const bits of [0, 1, 64, 2 ** 31, 2 ** 53 - 1]) { try { console.log(`${BigInt.asIntN(bits, -5n)} ${BigInt.asUintN(Math.min(bits, 100), -5n)}`); } catch (error) { console.log(error.name); } }
BigInt.asUintN(2 ** 53 - 1, -1n);
