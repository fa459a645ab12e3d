// expect: ok
return '\ud800 alone';
