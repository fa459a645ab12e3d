// expect: ok
// value: Symbol(answer)
return Symbol('answer');
