// expect: ok, thrown, memory, timed_out
let text = 'ab'; for (let i = 0; i < 60; i++) text = text.replace(/a/g, '$&$`$&').replaceAll('b', 'bab'); return text.length;
