// expect: ok
// value: undefined __proto__,constructor
const parsed = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}}'); const copy = structuredClone(parsed);
Object.assign({}, parsed); ({ ...parsed }); console.log(parsed, copy); await rlm('q', parsed);
return `${({}).polluted} ${Object.keys(copy)}`;
