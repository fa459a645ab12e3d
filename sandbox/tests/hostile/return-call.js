// expect: ok
// value: answer to it
return rlm('it');
