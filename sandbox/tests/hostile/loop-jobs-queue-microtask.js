// expect: timed_out
const spin = () => queueMicrotask(spin); spin()
