// expect: ok, thrown, memory, timed_out
return Object.keys(JSON.parse('{' + Array.from({ length: 200000 }, (_, i) => `"k${i}":${i}`).join() + '}')).length;
