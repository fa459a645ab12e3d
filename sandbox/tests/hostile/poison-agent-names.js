// expect: ok
// keeps: no
// why: the model may overwrite names of the REPL, which its later cells then lack
rlm = 5;
llm = null;
context = undefined;
__rlm = 'mine';
__ctx = 0;
require = 1;
setTimeout = 2;
