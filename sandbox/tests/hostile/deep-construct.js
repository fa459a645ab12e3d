// expect: thrown
// error: RangeError
class C { constructor() { new C(); } }
new C();
