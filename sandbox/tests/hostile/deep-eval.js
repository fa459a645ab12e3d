// expect: thrown
// error: R*
globalThis.again = () => eval('again()');
again();
