// expect: ok
// output: [Circular *1]
const self = { list: [] };
self.self = self;
self.list.push(self);
console.log(self, new Map([[self, self]]), new Set([self]));
