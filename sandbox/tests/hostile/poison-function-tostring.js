// expect: ok
Function.prototype.toString = () => { throw 1; };
console.log(function f() {}, class A {}, [() => {}]);
