const a = 1; let b = 2; var c = 3;
function add(x, y) { return x + y }
class Point { constructor(x) { this.x = x } static origin = new Point(0) }
const { d, e: [f], ...rest } = { d: 4, e: [5], g: 6, h: 7 };
const [i, , j = 9, ...k] = [8, 0, undefined, 10, 11];
// ----
console.log(a, b, c, add(a, b), new Point(1).x, Point.origin.x, d, f, rest, i, j, k);
// ---- redeclared, with every kind of declaration
let a = 'again'; const b = 'too'; function c() { return 'now a function' } var add = (x, y) => x * y;
console.log(a, b, c(), add(3, 4));
// ---- functions see the latest definition
function helper() { return 'old' } function user() { return helper() }
// ----
function helper() { return 'new' }
console.log(user());
// ---- a cell that throws keeps earlier assignments
const before = 'kept'; let changed = 1; changed = 2; throw new RangeError('stop'); const after = 'never';
// ----
console.log(before, changed, typeof after);
// ---- block scope
{ let inner = 1; const alsoInner = 2 } for (let n = 0; n < 3; n++) {} if (true) { var hoisted = 'var' }
console.log(typeof inner, typeof alsoInner, typeof n, hoisted);
// ---- hoisting
console.log(early(), typeof later); function early() { return 'hoisted' } var later = 1;
// ---- closures in loops
const fs = []; for (let n = 0; n < 3; n++) fs.push(() => n); console.log(fs.map((f) => f()));
// ---- undeclared assignment, update, compound, destructuring assignment
x = 5; x++; x += 10; [x, y] = [x * 2, 'swapped']; ({ z, w = 'default' } = { z: 1 }); console.log(x, y, z, w);
// ---- parameters and locals shadow top-level names
const s = (a) => { let b = a + 1; return [a, b] }; console.log(s(1), a, b);
// ---- function names
const arrow = () => 1, expr = function () {}, cls = class {}; console.log(arrow.name, expr.name, cls.name, add.name);
// ---- const is constant within a cell, and may be redeclared in the next
const fixed = 1; try { fixed = 2 } catch (error) { console.log(error.message) } console.log(fixed);
// ----
const fixed = 3; console.log(fixed);
// ---- builtins may be shadowed
const Map = 'mine'; console.log(Map, typeof globalThis.Map);
// ----
console.log(Map);
// ---- globalThis is shared and readable by name
globalThis.shared = 42; console.log(shared, typeof missing);
// ---- a reassigned context
const context = JSON.parse('{"n": 1}'); console.log(context.n);
// ---- a function in a block does not change a constant of an earlier cell
const helper = 'constant'; function redone() { return 'first' }
// ----
{ function helper() {} function redone() { return 'second' } }
console.log(helper, redone());
// ----
var helper = 'variable'; { function helper() { return 'function' } }
console.log(helper());
// ---- defaults name their functions
const { arrow = () => 1, klass: [Named = class {}] = [] } = {}; let late; late ||= function () {}; [late.other = () => 2] = [];
console.log(arrow.name, Named.name, late.name, [late.other.name]);
// ---- text is printed unchanged
console.log('__repl_scope.x', () => '(0,__repl_scope.x)');
// ---- globals are assigned on globalThis, unless a cell declares the name
globalThis.total = 1; total++; total += 2; console.log(total, globalThis.total);
// ----
(() => { total = 10 })(); console.log(total, globalThis.total);
// ----
let total = 'own'; total += '!'; console.log(total, globalThis.total);
// ----
globalThis.shape = 1; function shape() {} console.log(typeof shape, globalThis.shape); parseInt = 1; console.log(parseInt, typeof globalThis.parseInt);
// ---- functions show their source
function written(a) { helper; a = () => { const b = { c: 1 }; return b.c }; console.log(a()); return a }
const arrow2 = async (x) => written(x), { method } = { method(y) { total = y; helper; return `${total}` } };
class Shown { static one() { return total } get two() { return written } async three() { await total } }
console.log(String(written), String(written(1)));
console.log(arrow2.toString(), method.toString(), Shown.toString());
console.log(Shown.one.toString(), Object.getOwnPropertyDescriptor(Shown.prototype, 'two').get.toString(), Shown.prototype.three.toString());
console.log(((a = total) => a).toString(), `${function () { total; { function inner() { total } } }}`, eval('(a) => total').toString());
// ---- a cell can redefine names of the REPL only for itself
const text = 'kept'; context = context + '!'; const llm = 1; function budget() { return 2 } console.log(context, llm, budget(), text);
// ----
console.log(context, typeof llm, typeof budget, text);
// ---- also if the cell fails
var rlm = 5; let console_ = console; console = { log() {} }; throw new Error('x')
// ----
console.log(typeof rlm, typeof console.log);
// ---- assigning the same value is not a redefinition
context = __ctx.shared.data; console.log(1);
// ---- timers may be replaced by those of a module
const { setTimeout } = require('timers/promises');
// ----
console.log(await setTimeout(1, 'value'));
// ---- types are removed
interface Row { name: string; count?: number }
type Rows = Row[];
const rows: Rows = [{ name: 'a' }];
function first<T>(list: T[], or?: T): T { return list[0] ?? or! }
class Box<T> implements Iterable<T> { private readonly held: T[] = []; add(one: T): this { this.held.push(one); return this } *[Symbol.iterator]() { yield* this.held } }
console.log(first<Row>(rows) as Row, [...new Box<number>().add(1)], first<string>(['x']));
// ---- and lines of errors are correct
let more: number = 1;
let typed: string = (undefined as any).length;
// ----
enum Color { Red }
// ---- comparisons are kept
const low = 1, mid = 2, high = 0; console.log(low < mid > (high));
