// The `string_decoder` module: decodes bytes that arrive in pieces.
(internals) => {
  'use strict';

  const { Error, Uint8Array, bytesBetween, isView, typedArrayLength, typedArraySet } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;
  const { bytesOf } = internals;

  internals.defineModule('string_decoder', () => {
    const { encodingOf, toText } = internals.bufferCodec;
    internals.require('buffer');

    /** Bytes of an incomplete character at the end. */
    const openUtf8 = (bytes) => {
      const length = typedArrayLength(bytes);
      for (let back = 1; back <= 3 && back <= length; back++) {
        const byte = bytes[length - back];
        if (byte >> 6 === 0b10) continue;
        const size = byte >> 5 === 0b110 ? 2 : byte >> 4 === 0b1110 ? 3 : byte >> 3 === 0b11110 ? 4 : 1;
        return size > back ? back : 0;
      }
      return 0;
    };
    const openUtf16 = (bytes) => {
      const length = typedArrayLength(bytes);
      const odd = length % 2;
      const last = length - odd - 1;
      const isHigh = last > 0 && bytes[last] >> 2 === 0b110110;
      return odd + (isHigh ? 2 : 0);
    };
    const open = {
      __proto__: null,
      utf8: openUtf8,
      utf16le: openUtf16,
      base64: (bytes) => typedArrayLength(bytes) % 3,
      base64url: (bytes) => typedArrayLength(bytes) % 3,
    };
    const joined = (first, second) => {
      if (typedArrayLength(first) === 0) return second;
      const all = new Uint8Array(typedArrayLength(first) + typedArrayLength(second));
      typedArraySet(all, first);
      typedArraySet(all, second, typedArrayLength(first));
      return all;
    };
    const none = new Uint8Array(0);

    class StringDecoder {
      #open = none;
      constructor(encoding) {
        const name = encodingOf(encoding ?? 'utf8');
        if (name === undefined) throw coded(Error, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
        this.encoding = name;
      }
      write(input) {
        if (typeof input === 'string') return input;
        if (!isView(input)) throw wrongType('buf', 'an instance of Buffer, TypedArray, or DataView', input);
        const bytes = joined(this.#open, bytesOf(input));
        const length = typedArrayLength(bytes);
        const end = length - (open[this.encoding]?.(bytes) ?? 0);
        const rest = new Uint8Array(length - end);
        typedArraySet(rest, bytesBetween(bytes, end, length));
        this.#open = rest;
        return toText(bytesBetween(bytes, 0, end), this.encoding);
      }
      end(input) {
        const text = input === undefined ? '' : this.write(input);
        const rest = this.#open;
        this.#open = none;
        return text + toText(rest, this.encoding);
      }
    }
    return { StringDecoder };
  });
};
