// expect: memory, timed_out
const classes = [];
for (let i = 0; ; i++) classes.push(class { #p = i; static s = new Array(100).fill(i); get v() { return this.#p; } });
