// expect: timed_out
JSON.stringify([1], () => { for (;;) {} });
