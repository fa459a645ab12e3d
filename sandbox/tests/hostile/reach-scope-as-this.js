// expect: ok
// value: true true true true
// why: a called name must not receive the scope object as `this`
function receiver() { return this === undefined || this === globalThis; }
const tagged = receiver;
return [receiver(), receiver`x`, (receiver)(), receiver?.()].join(' ');
