// expect: timed_out
JSON.parse('[1]', () => { for (;;) {} });
