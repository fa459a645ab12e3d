// expect: ok
// value: done
const shared = {}; shared.self = shared; const list = Array.from({ length: 5000 }, () => ({ shared, list: [shared] }));
console.log(list, { list, again: list }, new Set(list)); console.table(list.slice(0, 200));
return 'done';
