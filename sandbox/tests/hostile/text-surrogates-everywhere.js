// expect: ok
// value: false,false,false,false,false
const odd = ['\ud800', '\udc00', '\udc00\ud800', 'a\ud800b', '\ud83d\ude00\ud83d'];
for (const text of odd) { console.log(text, [text], { [text]: text }); console.table([{ [text]: text }]); JSON.parse(JSON.stringify({ [text]: text })); Buffer.from(text); new TextEncoder().encode(text); escape(text); text.normalize(); text.toUpperCase(); text.localeCompare('x'); require('querystring').parse(text); new URLSearchParams({ [text]: text }).toString(); require('path').join(text, text); try { encodeURIComponent(text); } catch {} try { new URL(`http://x/${text}`); } catch {} await rlm(text, text); }
return odd.map((text) => text.isWellFormed()).join();
