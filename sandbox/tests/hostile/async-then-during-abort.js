// expect: ok
// value: first,second,never,in a listener
// why: as in Node.js, a listener that is added while an event is dispatched hears it
const controller = new AbortController(); const log = [];
controller.signal.addEventListener('abort', () => { controller.abort('again'); log.push('first'); controller.signal.addEventListener('abort', () => log.push('never')); throw new Error('in a listener'); });
controller.signal.addEventListener('abort', () => log.push('second'));
try { controller.abort(); } catch (error) { log.push(error.message); }
return log.join();
