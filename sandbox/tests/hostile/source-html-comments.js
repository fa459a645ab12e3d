// expect: ok, syntax
let a = 1; <!-- a comment in a script
--> another one
