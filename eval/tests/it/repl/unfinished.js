const open = 1;
console.log('before');
console.log({ open
