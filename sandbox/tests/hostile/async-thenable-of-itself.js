// expect: timed_out
const self = { then(resolve) { resolve(self); } };
await self;
