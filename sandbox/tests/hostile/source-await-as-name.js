// expect: syntax
let await = 1;
