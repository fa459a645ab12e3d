// expect: syntax
/* }) */ }); (async () => { /*
