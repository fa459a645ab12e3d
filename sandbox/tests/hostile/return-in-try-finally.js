// expect: ok
// value: finally
try { return 'try'; } finally { return 'finally'; }
