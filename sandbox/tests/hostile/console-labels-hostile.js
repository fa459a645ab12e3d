// expect: ok
// value: done
for (const label of ['__proto__', 'constructor', '', Symbol('s'), { toString() { return 'x'; } }, null, 5]) for (const name of ['count', 'countReset', 'time', 'timeLog', 'timeEnd', 'timeEnd']) { try { console[name](label); } catch {} }
for (let i = 0; i < 50000; i++) console.count(`label ${i}`);
return 'done';
