// expect: ok, thrown
const self = {};
self.self = self;
await rlm('with a cycle', self);
