// expect: ok
return 'a\0b';
