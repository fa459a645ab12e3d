// expect: ok
// keeps: no
// why: the model may break its console, but reports of the host do not use it
for (const name of Object.keys(console)) console[name] = () => { throw 1; };
Object.freeze(console);
