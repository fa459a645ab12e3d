// expect: ok
// value: true true true true
// why: a called name must not get the scope object as its receiver
function receiver() { return this === undefined || this === globalThis; }
const tagged = receiver;
return [receiver(), receiver`x`, (receiver)(), receiver?.()].join(' ');
