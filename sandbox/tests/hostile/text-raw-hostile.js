// expect: ok, thrown
try { console.log(String.raw({ raw: { length: 5, 0: 'a', get 1() { throw new Error('piece'); } } })); } catch (error) { console.log(error.message); }
return String.raw({ raw: { length: -5, 0: 'a' } }, 'b').length;
