// expect: ok
// slow: yes
// output: 20000 20000
// why: caught errors must not stay in memory until the cell ends
let rejected = 0, thrown = 0;
while (rejected < 20_000) { try { await Promise.reject(rejected); } catch { rejected++; } }
while (thrown < 20_000) { try { throw thrown; } catch { thrown++; } }
console.log(rejected, thrown);
