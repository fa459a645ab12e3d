// expect: ok
// value: false
function own() { return kept; }
return /__repl/.test(own.toString() + String(class { x = kept; }) + Function.prototype.toString.call(() => kept));
