// expect: ok
// value: unwrapped
return { then(resolve) { resolve({ then(again) { again('unwrapped'); } }); } };
