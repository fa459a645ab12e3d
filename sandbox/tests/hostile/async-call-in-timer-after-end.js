// expect: ok
setTimeout(() => rlm('from the grave'), 5);
