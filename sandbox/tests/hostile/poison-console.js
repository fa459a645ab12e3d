// expect: ok
// keeps: no
// why: the console is the model's own to break; the host's reports do not go through it
for (const name of Object.keys(console)) console[name] = () => { throw 1; };
Object.freeze(console);
