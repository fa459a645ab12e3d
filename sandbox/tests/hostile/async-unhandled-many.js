// expect: ok, thrown
for (let i = 0; i < 30000; i++) Promise.reject({ i, toString() { throw new Error('text'); } });
await 0;
return 'after';
