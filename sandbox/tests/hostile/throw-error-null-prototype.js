// expect: thrown
throw Object.setPrototypeOf(new Error('no prototype'), null);
