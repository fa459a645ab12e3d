// expect: thrown
eval('['.repeat(1e6));
