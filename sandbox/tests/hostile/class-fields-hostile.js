// expect: ok, thrown
// why: a constructor that returns an object of another class adds private fields to it
class A { [(() => { throw_ = 1; return 'computed'; })()] = this; static [Symbol.toPrimitive] = 5; static { this.prototype.constructor = this; Object.freeze(this.prototype); } #p = (() => { if (Math.random() > 2) throw 1; return this; })(); has(o) { return #p in o; } }
const a = new A(); console.log(a, A, a.has(a), a.has({}));
try { `${A}`; } catch (error) { console.log(error.name); }
class B extends (class { constructor() { return a; } }) { #q = 1; static q(o) { return o.#q; } }
new B(); console.log(B.q(a)); try { new B(); } catch (error) { console.log(error.name); }
