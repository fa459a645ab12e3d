// expect: thrown
// error: R*
let nested = [];
for (let i = 0; i < 100_000; i++) nested = [nested];
String(nested);
