// expect: thrown
// error: Cannot find module
require('fs').readFileSync('/etc/passwd');
