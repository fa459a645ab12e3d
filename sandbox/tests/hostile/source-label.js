// expect: ok
label: { break label; }
a: b: c: for (;;) break a;
