// Formats the text before the braces: prefixes with constructor and tag, functions, classes and boxed primitives.
(internals) => {
  'use strict';

  const {
    asyncFunctionPrototype, asyncGeneratorFunctionPrototype, bigintValueOf, booleanValueOf,
    generatorFunctionPrototype, getPrototypeOf, hasOwn, numberValueOf, stringValueOf, symbolValueOf, toText,
  } = internals.primordials;
  const { inherits, isClass } = internals.kinds;
  const { formatPrimitive } = internals.strings;

  /** `Foo(3) [tag] `, or with a null prototype `[Fallback(3): null prototype] [tag] `; ends in a space. */
  const prefix = (constructor, tag, fallback, size = '') => {
    if (constructor === null) {
      const suffix = tag !== '' && fallback !== tag ? ` [${tag}]` : '';
      return `[${fallback}${size}: null prototype]${suffix} `;
    }
    return tag !== '' && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
  };

  const classText = (value, constructor, tag) => {
    const name = hasOwn(value, 'name') ? value.name : '';
    let text = `class ${name ? toText(name) : '(anonymous)'}`;
    if (constructor !== 'Function' && constructor !== null) text += ` [${constructor}]`;
    if (tag !== '' && constructor !== tag) text += ` [${tag}]`;
    if (constructor === null) {
      text += ' extends [null prototype]';
    } else {
      const parent = getPrototypeOf(value).name;
      if (parent) text += ` extends ${toText(parent)}`;
    }
    return `[${text}]`;
  };

  const functionType = (value) => {
    if (inherits(value, asyncGeneratorFunctionPrototype)) return 'AsyncGeneratorFunction';
    if (inherits(value, generatorFunctionPrototype)) return 'GeneratorFunction';
    if (inherits(value, asyncFunctionPrototype)) return 'AsyncFunction';
    return 'Function';
  };

  /** `[Function: f]`, `[AsyncFunction (anonymous)]`, `[class A extends B]`. */
  const functionText = (value, constructor, tag) => {
    if (isClass(value)) return classText(value, constructor, tag);
    const type = functionType(value);
    const { name } = value;
    let text = `[${type}${constructor === null ? ' (null prototype)' : ''}`;
    text += name === '' ? ' (anonymous)]' : `: ${toText(name)}]`;
    if (constructor !== type && constructor !== null) text += ` ${constructor}`;
    if (tag !== '' && constructor !== tag) text += ` [${tag}]`;
    return text;
  };

  const unbox = {
    __proto__: null,
    Number: numberValueOf,
    String: stringValueOf,
    Boolean: booleanValueOf,
    Symbol: symbolValueOf,
    BigInt: bigintValueOf,
  };

  /** `[Number: 3]`, `[String (Foo): 'x']`. */
  const boxedText = (ctx, value, kind, constructor, tag) => {
    let text = `[${kind}`;
    if (kind !== constructor) text += constructor === null ? ' (null prototype)' : ` (${constructor})`;
    const plain = { __proto__: null, ...ctx, stylize: (string) => string };
    text += `: ${formatPrimitive(plain, unbox[kind](value))}]`;
    if (tag !== '' && tag !== constructor) text += ` [${tag}]`;
    return text;
  };

  internals.names = { __proto__: null, boxedText, functionText, isBoxed: (kind) => kind in unbox, prefix };
};
