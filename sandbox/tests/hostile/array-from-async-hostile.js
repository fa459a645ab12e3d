// expect: ok, thrown, never_settles
if (!Array.fromAsync) return 'none';
try { await Array.fromAsync({ length: 3, get 1() { throw new Error('element'); } }); } catch (error) { console.log(error.message); }
try { await Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: () => ({ then() {} }) }) }); } catch (error) { console.log(error.message); }
