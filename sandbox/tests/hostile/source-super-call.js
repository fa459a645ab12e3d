// expect: syntax
super();
