// expect: lost
// slow: yes
// why: marks are put in order, which naively is quadratic
return ['NFC'].map((form) => ('a' + '\u0301\u0323'.repeat(200000)).normalize(form).length).length;
