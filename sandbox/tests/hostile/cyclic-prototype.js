// expect: thrown
// error: TypeError
const a = {}, b = Object.create(a);
Object.setPrototypeOf(a, b);
