// expect: thrown
// error: TypeError*circular
const self = {};
self.self = self;
return self;
