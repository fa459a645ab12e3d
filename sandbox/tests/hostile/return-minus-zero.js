// expect: ok
return -0;
