// expect: ok, thrown
// keeps: no
try { Object.freeze(globalThis); } catch (error) { console.log(error.name); }
try { Object.setPrototypeOf(globalThis, null); } catch (error) { console.log(error.name); }
try { Object.preventExtensions(globalThis); } catch (error) { console.log(error.name); }
console.log(typeof Map, typeof later);
