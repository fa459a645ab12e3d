var ran = 0;
const hit = () => { ran++; throw new Error('looked at'); };
const traps = new Proxy({}, { get: () => hit });
var text = 'first line\nsecond line';
var long = 'ä'.repeat(1000);
var escape = '\u001b[31mred';
var rows = [{ a: 1 }, 'two', 3, 4];
var getters = [1]; Object.defineProperty(getters, 0, { get: hit });
var table = { id: 1, get cost() { return hit(); } };
var wide = Object.fromEntries(Array.from({ length: 20 }, (_, i) => ['key' + i, i]));
var proxied = new Proxy({}, traps);
var inherits = Object.create(new Proxy({}, traps));
var tagged = { get [Symbol.toStringTag]() { return hit(); } };
var shown = { toJSON: hit, toString: hit, valueOf: hit };
class Row { static get name() { return hit(); } }
Object.defineProperty(Row.prototype, 'constructor', { get: hit });
var row = new Row();
var map = new Map([[1, 2]]);
var set = new Set();
var bytes = new Uint8Array(3);
var day = new Date(0);
var never = new Date(NaN);
var failure = new RangeError('too far\naway');
var silent = Object.defineProperty(new Error(), 'message', { get: hit });
var huge = 10n ** 400n;
var mark = Symbol('mark');
var nothing = null;
var absent;
function add(a, b) {
  return a + b;
}
Object.defineProperty(Object.prototype, 'size', { configurable: true, get: hit });
Array.prototype.toJSON = hit;
__ctx.local.notes = 'kept';
