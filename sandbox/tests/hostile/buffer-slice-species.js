// expect: ok, thrown
class Odd extends Uint8Array { static get [Symbol.species]() { return function (length) { return new Uint8Array(Math.max(0, length - 1)); }; } }
for (const method of ['slice', 'map', 'filter', 'subarray']) { try { console.log(new Odd(8)[method]((x) => x).length); } catch (error) { console.log(error.name); } }
const buffer = new ArrayBuffer(16); buffer.constructor = { [Symbol.species]: function () { return buffer; } };
buffer.slice(0, 8);
