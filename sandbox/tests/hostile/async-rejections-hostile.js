// expect: ok
const reject = (reason) => { Promise.reject(reason); };
reject(Symbol('s'));
reject(new Proxy({}, { get() { throw 1; } }));
reject(undefined);
reject({ get message() { throw 1; }, get stack() { throw 2; } });
