// expect: thrown
const self = {};
self.self = self;
throw self;
