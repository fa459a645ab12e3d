// expect: syntax
// on-v8: ok; some signs in regular expressions with the flag `v`
// error: invalid class set operation*\x3d for =*or use the flag u
// why: QuickJS rejects doubled signs outside of a class as it does inside, and the message names the remedy
console.log('a==b'.match(/(\w)==(\w)/v)[2]);
