// expect: ok
// value: TypeError,TypeError,TypeError
let g; const ends = [];
g = (function* () { try { g.next(); } catch (error) { ends.push(error.name); } try { g.return(1); } catch (error) { ends.push(error.name); } try { g.throw(1); } catch (error) { ends.push(error.name); } yield 1; })();
g.next();
return ends.join();
