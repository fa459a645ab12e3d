// expect: ok
// value: true true undefined
return [this === undefined || this === globalThis, (function () { return this === globalThis; })(), String((() => 'use strict', function () { 'use strict'; return this; })())].join(' ');
