// expect: ok
return function answer() { return kept; };
