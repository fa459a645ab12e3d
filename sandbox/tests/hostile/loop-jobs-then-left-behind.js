// expect: timed_out
// why: the cell has reported its end when its loop is stopped
const spin = () => { Promise.resolve().then(spin) }; spin(); return 'done'
