// expect: ok
return class Answer { #x = 1; };
