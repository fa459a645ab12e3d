// expect: ok, thrown, timed_out, memory
const re = new RegExp(Array.from({ length: 10000 }, (_, i) => `w${i}`).join('|'), 'g');
return 'w1 w9999 none'.match(re).length;
