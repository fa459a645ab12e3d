// expect: ok
console.log('\0\x1b[2J\x07\r\b\u202e\ufeff\u2028');
