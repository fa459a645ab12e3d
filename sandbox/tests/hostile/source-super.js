// expect: syntax
super.x;
