// expect: ok
console.log('\ud800'.repeat(10_000), '\udc00\ud800', ['\udfff']);
