// expect: ok, thrown, timed_out, memory
const text = JSON.stringify({ a: [1, 2, { b: 3 }], c: 'd' });
console.log(JSON.parse(text, function (key, value) { if (Array.isArray(this)) this.length = 1000; if (key === 'b') delete this.b; if (key === 'c') return { again: this }; return value; }));
JSON.parse('[1,2,3]', function (key, value) { if (key === '0') { this[1] = [this]; } return value; });
