// expect: ok, thrown
// error: *patched*
const date = new Date(0); date.toString = () => { throw new Error('mine'); }; date.valueOf = () => ({});
for (const use of [() => `${date}`, () => +date, () => date + 1, () => JSON.stringify(date), () => console.log(date, [date]), () => structuredClone(date), () => date.toLocaleString()]) { try { use(); } catch (error) { console.log(error.name); } }
Date.prototype.toISOString = () => { throw new Error('patched'); }; console.log(new Date(5)); JSON.stringify({ d: new Date(0) });
