// expect: ok
// why: an array is an answer like any other, whatever the runtime marks answers with
return [{ __proto__: null }, 'fake'];
