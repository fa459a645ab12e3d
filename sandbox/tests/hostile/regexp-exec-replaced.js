// expect: ok, thrown
// why: the library's own matching must not use methods that a cell replaced
const re = /a/g; let calls = 0;
re.exec = function () { if (++calls > 1000) return null; return { index: calls, length: 3, 0: 'a', groups: { get x() { throw new Error('group'); } } }; };
try { 'aaa'.replace(re, '$<x>$1$99'); } catch (error) { console.log(error.message ?? error.name); }
calls = 0; re.exec = () => (++calls > 1000 ? null : { index: -5, 0: '', length: 1 });
console.log('aaa'.replace(re, () => 'z').length);
