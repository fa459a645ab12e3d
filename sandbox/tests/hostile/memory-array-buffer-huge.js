// expect: memory, thrown, ok
new ArrayBuffer(2 ** 40);
