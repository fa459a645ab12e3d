// expect: ok
// value: 1
@repeat(1, "\ufeff")return 1;
