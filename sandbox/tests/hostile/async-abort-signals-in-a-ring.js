// expect: ok
// value: one
const controllers = Array.from({ length: 300 }, () => new AbortController());
let all = AbortSignal.any(controllers.map((c) => c.signal));
for (let i = 0; i < 300; i++) all = AbortSignal.any([all, controllers[i].signal]);
all.addEventListener('abort', () => controllers.forEach((c) => c.abort('ring')));
controllers[299].abort('one');
return all.reason;
