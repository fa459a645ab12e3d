// expect: ok
Object.prototype.done = true;
Object.prototype.value = 'planted';
