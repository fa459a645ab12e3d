// expect: ok, thrown, timed_out
// value: 4
return JSON.parse('[' + '1'.repeat(200000) + ',0.' + '3'.repeat(200000) + ',1e' + '9'.repeat(1000) + ',-0]').length;
