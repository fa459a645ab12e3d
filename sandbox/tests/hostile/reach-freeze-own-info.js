// expect: ok
// value: 0 0
try { __rlm.depth = 7; } catch {}
const before = __rlm.depth;
try { Object.defineProperty(__rlm, 'depth', { value: 7 }); } catch {}
return before + ' ' + __rlm.depth;
