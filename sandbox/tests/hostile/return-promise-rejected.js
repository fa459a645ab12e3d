// expect: thrown
// error: rejected
return Promise.reject(new Error('rejected'));
