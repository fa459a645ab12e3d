// expect: thrown
// error: RangeError
JSON.stringify({ toJSON() { return JSON.stringify(this); } });
