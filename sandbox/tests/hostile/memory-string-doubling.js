// expect: memory, thrown
let text = 'abcdefgh';
for (;;) text += text;
