// expect: thrown
throw Promise.reject(1);
