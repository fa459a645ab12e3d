// expect: thrown
throw new Error('\x1b[2J\0\ud800');
