// expect: memory, thrown, timed_out, lost
const huge = new Array(5e8).fill({});
