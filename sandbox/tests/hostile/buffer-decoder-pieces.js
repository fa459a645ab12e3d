// expect: ok
// value: 3000
const bytes = new TextEncoder().encode('€😀'.repeat(1000)); let text = '';
const { StringDecoder } = require('string_decoder'); const decoder = new StringDecoder('utf8');
for (const byte of bytes) text += decoder.write(Buffer.from([byte]));
for (const bad of [null, 5, {}, [1, 2], 'text', new DataView(new ArrayBuffer(1))]) { try { decoder.write(bad); } catch {} }
return text.length;
