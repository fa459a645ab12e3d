// Limits the memory of resizable buffers on V8, which bypasses the limiting allocator (`buffers.rs`). For each of them, unused
// buffers of the same total length are allocated there and counted in its place.
(internals) => {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { construct, getOwnPropertyDescriptor } = Reflect;
  const Native = ArrayBuffer;
  const { prototype } = Native;
  const lengthOf = uncurry(getOwnPropertyDescriptor(prototype, 'byteLength').get);
  const mostOf = uncurry(getOwnPropertyDescriptor(prototype, 'maxByteLength').get);
  const isResizable = uncurry(getOwnPropertyDescriptor(prototype, 'resizable').get);
  const get = uncurry(WeakMap.prototype.get);
  const set = uncurry(WeakMap.prototype.set);
  const resize = uncurry(prototype.resize);
  const transfer = uncurry(prototype.transfer);

  /** Maps each resizable buffer to a list of the buffers counted for it: `{ counted, bytes, rest }`. */
  const countedFor = new WeakMap();
  /** Throws a `RangeError` if this many bytes exceed the limit. */
  const count = (buffer, bytes) => {
    const rest = get(countedFor, buffer);
    const before = rest === undefined ? 0 : rest.bytes;
    if (bytes > before) set(countedFor, buffer, { counted: new Native(bytes - before), bytes, rest });
    else if (bytes < before) set(countedFor, buffer, { counted: new Native(bytes), bytes, rest: undefined });
  };

  const define = (object, name, value) =>
    Object.defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  const methods = {
    resize(newLength) {
      if (isResizable(this)) {
        const length = +newLength;
        // The engine rejects invalid lengths and those that are too long for this buffer.
        if (length > lengthOf(this) && length <= mostOf(this)) count(this, length);
        resize(this, length);
        count(this, lengthOf(this));
      } else {
        resize(this, newLength);
      }
    },
    transfer(newLength) {
      const moved = newLength === undefined ? transfer(this) : transfer(this, newLength);
      if (isResizable(moved)) {
        set(countedFor, moved, get(countedFor, this));
        set(countedFor, this, undefined);
        count(moved, lengthOf(moved));
      }
      return moved;
    },
  };
  Object.defineProperty(methods.transfer, 'length', { value: 0 });
  define(prototype, 'resize', methods.resize);
  define(prototype, 'transfer', methods.transfer);

  const counting = new Proxy(Native, {
    __proto__: null,
    construct(target, list, newTarget) {
      const buffer = construct(target, list, newTarget);
      if (isResizable(buffer)) count(buffer, lengthOf(buffer));
      return buffer;
    },
  });
  define(prototype, 'constructor', counting);
  define(globalThis, 'ArrayBuffer', counting);
};
