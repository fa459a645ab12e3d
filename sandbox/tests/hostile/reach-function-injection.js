// expect: thrown
// error: SyntaxError
new Function('}); (function () {', '/*');
