// expect: ok
// value: 0
const { EventEmitter, once } = require('events'); const e = new EventEmitter();
for (let i = 0; i < 50000; i++) e.on('x', () => {});
e.emit('x'); e.removeAllListeners('x');
for (const name of ['__proto__', 'constructor', 'error', '', Symbol('s'), 'newListener']) { try { e.on(name, () => {}); e.emit(name, 1); } catch {} }
return e.listenerCount('x');
