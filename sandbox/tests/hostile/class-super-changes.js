// expect: ok, thrown
class A { m() { return 'A'; } } class B extends A { m() { return super.m(); } get x() { return super.x; } set x(v) { super.x = v; } }
const b = new B(); Object.setPrototypeOf(B.prototype, { m() { return 'changed'; }, get x() { return 7; }, set x(v) { throw new Error('set'); } });
console.log(b.m(), b.x); try { b.x = 1; } catch (error) { console.log(error.message); }
Object.setPrototypeOf(B, null); try { new B(); } catch (error) { console.log(error.name); }
