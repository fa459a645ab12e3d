// expect: ok, thrown
for (const delay of [NaN, -1, Infinity, 2 ** 40, '5', null, {}, { valueOf() { return 1; } }, 1n]) { try { clearTimeout(setTimeout(() => {}, delay)); } catch (error) { console.log(error.name); } }
for (const id of [NaN, -1, {}, null, 'x', { [Symbol.toPrimitive]: () => 1 }, setTimeout]) { try { clearTimeout(id); clearInterval(id); } catch (error) { console.log(error.name); } }
const t = setTimeout(() => {}, 1e6); t.refresh().close(); t.refresh(); `${t}`; console.log(t); Object.setPrototypeOf(t, null); try { clearTimeout(t); } catch {}
