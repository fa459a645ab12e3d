// expect: timed_out
const thenable = { then(resolve) { resolve(thenable) } }; await thenable
