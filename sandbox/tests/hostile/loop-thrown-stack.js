// expect: timed_out
throw Object.defineProperty(new Error('x'), 'stack', { get() { for (;;) {} } });
