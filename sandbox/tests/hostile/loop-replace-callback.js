// expect: timed_out
'abc'.replace(/b/, () => { for (;;) {} });
