// expect: ok, thrown, memory
try { console.log(Array.prototype.toSpliced?.call({ length: 2 ** 53 - 2 }, 0, 0, 1, 2)); } catch (error) { console.log(error.name); }
try { console.log([].with?.(0, 1)); } catch (error) { console.log(error.name); }
