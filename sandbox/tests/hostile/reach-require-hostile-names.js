// expect: ok
// value: refused 5
let refused = 0;
for (const name of [null, {}, Symbol('fs'), ['path'], new String('path')]) { try { require(name); } catch { refused++; } }
return 'refused ' + refused;
