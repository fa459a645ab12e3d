// expect: lost
// slow: yes
// why: marks are sorted, which is quadratic if done naively
return ['NFC'].map((form) => ('a' + '\u0301\u0323'.repeat(200000)).normalize(form).length).length;
