// expect: thrown
throw { get message() { throw 1; }, get name() { throw 2; }, get stack() { throw 3; } };
