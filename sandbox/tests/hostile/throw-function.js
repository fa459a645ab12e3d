// expect: thrown
throw function hostile() {};
