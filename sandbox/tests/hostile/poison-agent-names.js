// expect: ok
// keeps: no
// why: the names of the REPL are the model's to overwrite; its own later cells miss them
rlm = 5;
llm = null;
context = undefined;
__rlm = 'mine';
__ctx = 0;
require = 1;
setTimeout = 2;
