// expect: syntax
#secret in {};
