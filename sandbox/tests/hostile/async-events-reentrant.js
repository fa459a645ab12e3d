// expect: ok, thrown
const { EventEmitter } = require('events'); const e = new EventEmitter(); let n = 0;
e.on('x', function self() { if (++n < 500) { e.off('x', self); e.on('x', self); e.prependListener('x', () => { n++; }); e.emit('x'); } });
e.emit('x');
return n;
