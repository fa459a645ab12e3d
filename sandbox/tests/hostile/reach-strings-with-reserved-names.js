// expect: ok
// value: __repl_rt.x 12
const text = '__repl_rt' + '.x';
const o = { __repl_scope: 12 };
return text + ' ' + o.__repl_scope;
