// expect: thrown
throw new Proxy(new Error('inside'), { get() { throw new Error('trap'); } });
