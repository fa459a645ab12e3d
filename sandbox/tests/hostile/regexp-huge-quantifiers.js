// expect: ok, syntax, thrown, memory, timed_out, lost
// why: the compiled pattern grows with the repetition count
const ends = [];
for (const source of ['a{1000000}', '(?:a{1000}){1000}', '(?:(?:a{100}){100}){100}', 'a{4294967296}', 'a{0,2147483647}b', '(a{2}){2}'.repeat(500)]) { try { ends.push(new RegExp(source).test('aaa')); } catch (error) { ends.push(error.name); } }
return ends.length;
