// expect: ok, thrown, timed_out
let Base = class {};
for (let i = 0; i < 20_000; i++) Base = class extends Base {};
new Base();
