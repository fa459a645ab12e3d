// expect: ok
// value: the context true
try { __ctx.shared.data = 'changed'; } catch {}
try { __ctx.shared = null; } catch {}
return __ctx.shared.data + ' ' + Object.isFrozen(__ctx.shared);
