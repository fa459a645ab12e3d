// expect: syntax
new.target;
