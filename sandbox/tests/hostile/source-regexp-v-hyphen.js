// expect: syntax
// on-v8: ok; some signs in regular expressions with the flag `v`
// error: invalid character in class*write \x2d for -*or use the flag u
// why: QuickJS rejects a hyphen outside of a class as it does inside, and the message names the remedy
console.log('2024-01-15'.match(/(\d{4})-(\d\d)/v)[2]);
