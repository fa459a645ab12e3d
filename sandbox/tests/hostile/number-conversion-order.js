// expect: ok
// value: cdbaefghi
const log = []; const odd = (name, value) => ({ valueOf() { log.push(name); return value; } });
[odd('a', 1) + odd('b', 2) * odd('c', 3) ** odd('d', 2), odd('e', 5) < odd('f', 6), `${odd('g', 7) | odd('h', 8)}`];
try { odd('i', 1) - Symbol(); } catch {}
return log.join('');
