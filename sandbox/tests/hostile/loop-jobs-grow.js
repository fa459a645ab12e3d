// expect: timed_out, memory
const grow = () => { Promise.resolve().then(grow); Promise.resolve().then(grow) }; grow()
