// expect: ok, thrown
const list = [1, 2, 3]; const odd = { get a() { list.length = 0; delete odd.b; odd.c = odd; return list; }, b: 1 };
const map = new Map([[{ get k() { map.clear(); return 1; } }, 1], [2, 2]]);
console.log(structuredClone(odd), structuredClone(map), structuredClone([list, odd, map]));
