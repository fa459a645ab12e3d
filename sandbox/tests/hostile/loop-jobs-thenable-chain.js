// expect: timed_out
const next = () => ({ then(resolve) { resolve(next()) } }); await next()
