// expect: ok
return new String('object');
