// expect: ok
// value: 1
let 𝐀 = 1, \u{1d401} = 2;
return 𝐀;
