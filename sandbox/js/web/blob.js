// Blob: bytes with a type.
(internals) => {
  'use strict';

  const {
    Uint8Array, bytesBetween, customInspect, defineProperty, list, max, min, stringToLowerCase, symbolIterator, trunc,
    typedArrayBuffer, typedArrayLength, typedArraySet,
  } = internals.primordials;
  const { asInterface, wrongType } = internals.exceptions;
  const { bytesOf, encodeUtf8 } = internals;

  const asType = (type) => {
    const text = `${type}`;
    for (let i = 0; i < text.length; i++) if (text[i] < ' ' || text[i] > '~') return '';
    return stringToLowerCase(text);
  };
  const copyOf = (bytes) => {
    const copy = new Uint8Array(typedArrayLength(bytes));
    typedArraySet(copy, bytes);
    return copy;
  };

  class Blob {
    #bytes;
    #type;

    constructor(parts = [], options = {}) {
      if (typeof parts !== 'object' || parts === null || parts[symbolIterator] === undefined) {
        throw wrongType('sources', 'a sequence', parts);
      }
      const pieces = list();
      let length = 0;
      for (const part of parts) {
        const isBlob = typeof part === 'object' && part !== null && #bytes in part;
        const bytes = isBlob ? part.#bytes : (typeof part === 'object' && part !== null && bytesOf(part)) || encodeUtf8(`${part}`);
        pieces[pieces.length] = bytes;
        length += typedArrayLength(bytes);
      }
      this.#bytes = new Uint8Array(length);
      let at = 0;
      for (let i = 0; i < pieces.length; i++) {
        typedArraySet(this.#bytes, pieces[i], at);
        at += typedArrayLength(pieces[i]);
      }
      this.#type = options?.type === undefined ? '' : asType(options.type);
    }

    get size() { return typedArrayLength(this.#bytes); }
    get type() { return this.#type; }
    async text() { return internals.utf8Decode(this.#bytes, false); }
    async arrayBuffer() { return typedArrayBuffer(copyOf(this.#bytes)); }
    async bytes() { return copyOf(this.#bytes); }
    slice(start = 0, end = this.size, type = '') {
      const size = this.size;
      const index = (value) => {
        const whole = trunc(+value) || 0;
        return whole < 0 ? max(size + whole, 0) : min(whole, size);
      };
      const from = index(start);
      const part = new Blob([], { type });
      part.#bytes = copyOf(bytesBetween(this.#bytes, from, max(from, index(end))));
      return part;
    }
  }
  defineProperty(Blob.prototype, customInspect, {
    __proto__: null,
    value(depth, options, inspect) {
      return depth < 0 ? '[Blob]' : `Blob ${inspect({ size: this.size, type: this.type }, options)}`;
    },
    writable: true,
    configurable: true,
  });
  internals.globals.Blob = asInterface(Blob, 'Blob');
};
