// expect: syntax
let \ud835\udc00 = 1;
