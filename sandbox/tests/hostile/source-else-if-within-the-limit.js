// expect: ok
// value: last
@repeat(1000, "if (kept === '$n') return '$n'; else ") return 'last';
