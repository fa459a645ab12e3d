// expect: timed_out
const endless = new Proxy(() => {}, { get: (_, name) => (name === 'then' ? (resolve) => resolve(endless) : undefined) })
await endless
