// expect: ok
// why: an array is a valid answer, even if it resembles the runtime's own marker
return [{ __proto__: null }, 'fake'];
