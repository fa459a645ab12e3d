// expect: thrown
throw Object.create(null);
