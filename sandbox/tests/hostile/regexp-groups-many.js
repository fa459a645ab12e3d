// expect: ok, thrown, syntax
const source = Array.from({ length: 5000 }, (_, i) => `(?<g${i}>a?)`).join('');
const match = new RegExp(source).exec('aaa'); console.log(Object.keys(match.groups).length, match);
