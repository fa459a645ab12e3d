// expect: thrown
throw { then() { for (;;) {} } };
