// The `buffer` module: Buffer, a Uint8Array that reads and writes text and numbers.
(internals) => {
  'use strict';

  const {
    RangeError, TypeError, Uint8Array, append, apply, arrayBufferByteLength, arrayJoin, bytesBetween, customInspect,
    isArray, isView, list, max, min, sign, symbolToPrimitive, trunc, typedArrayBuffer, typedArrayByteOffset,
    typedArrayFill, typedArrayLength, typedArrayName, typedArraySet,
  } = internals.primordials;
  const { coded, outOfRange, wrongType } = internals.exceptions;
  const { bytesOf, globals } = internals;
  const { byteHex, encodingOf, from, isEncoding, lengthOf, toText } = internals.bufferCodec;
  const { kindOf } = internals.kinds;

  const MAX_INSPECTED = 50;
  const MAX_LENGTH = 2 ** 32;
  const SOURCES = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';

  const isBytes = (value) => isView(value) && typedArrayName(value) === 'Uint8Array';
  // Resolves an index as `slice` does: negative ones count from the end.
  const clampIndex = (value, length, fallback) => {
    if (value === undefined) return fallback;
    const index = trunc(+value) || 0;
    return index < 0 ? max(length + index, 0) : min(index, length);
  };
  const compareBytes = (a, b) => {
    const length = min(typedArrayLength(a), typedArrayLength(b));
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return sign(typedArrayLength(a) - typedArrayLength(b));
  };
  const checkSize = (size) => {
    if (typeof size !== 'number') throw wrongType('size', 'of type number', size);
    if (!(size >= 0 && size <= MAX_LENGTH)) throw outOfRange('size', `>= 0 && <= ${MAX_LENGTH}`, size);
  };
  const checkBytes = (value, name) => {
    if (!isBytes(value)) throw wrongType(name, 'an instance of Buffer or Uint8Array', value);
  };

  // Returns the index of `needle` in `bytes`, searching from `start` in a direction.
  const search = (bytes, needle, start, forward) => {
    const last = typedArrayLength(bytes) - typedArrayLength(needle);
    const size = typedArrayLength(needle);
    for (let at = start; forward ? at <= last : at >= 0; at += forward ? 1 : -1) {
      let matched = 0;
      while (matched < size && bytes[at + matched] === needle[matched]) matched++;
      if (matched === size && at <= last) return at;
    }
    return -1;
  };
  const needleOf = (value, encoding) => {
    if (typeof value === 'string') return from(value, encoding);
    if (typeof value === 'number') {
      const needle = new Uint8Array(1);
      needle[0] = value;
      return needle;
    }
    if (!isBytes(value)) {
      throw wrongType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value);
    }
    return value;
  };
  const locate = (bytes, value, byteOffset, encoding, forward) => {
    const named = typeof byteOffset === 'string';
    const needle = needleOf(value, named ? byteOffset : encoding);
    const length = typedArrayLength(bytes);
    const size = typedArrayLength(needle);
    let start = named ? NaN : trunc(+byteOffset);
    if (start !== start) start = forward ? 0 : length;
    if (start < 0) start += length;
    if (start < 0) {
      if (!forward) return -1;
      start = 0;
    }
    if (!forward) start = min(start, length - size);
    if (size === 0) return forward ? min(start, length) : min(max(start, 0), length);
    return search(bytes, needle, start, forward);
  };

  class Buffer extends Uint8Array {
    // A default constructor would call the array iterator.
    constructor(source, byteOffset, length) {
      super(source, byteOffset, length);
    }

    static from(value, encodingOrOffset, length) {
      if (typeof value === 'string') return adopt(from(value, encodingOrOffset));
      if (typeof value !== 'object' || value === null) throw wrongType('first argument', SOURCES, value);
      if (!isView(value) && kindOf(value) === 'ArrayBuffer') return fromArrayBuffer(value, encodingOrOffset, length);
      const primitive = isView(value) || isArray(value) ? value : value.valueOf?.();
      if (primitive !== value && primitive !== null && primitive !== undefined) {
        return Buffer.from(primitive, encodingOrOffset, length);
      }
      if (typeof value.length === 'number' || isArray(value)) return fromArrayLike(value);
      if (value.type === 'Buffer' && isArray(value.data)) return fromArrayLike(value.data);
      const convert = value[symbolToPrimitive];
      if (typeof convert !== 'function') throw wrongType('first argument', SOURCES, value);
      return Buffer.from(apply(convert, value, ['string']), encodingOrOffset, length);
    }

    static of(...items) {
      return fromArrayLike(items);
    }

    static alloc(size, fill, encoding) {
      checkSize(size);
      const buffer = new Buffer(size);
      return fill === undefined || fill === 0 || size === 0 ? buffer : buffer.fill(fill, encoding);
    }

    static allocUnsafe(size) {
      checkSize(size);
      return new Buffer(size);
    }

    static byteLength(value, encoding) {
      if (typeof value === 'string') return lengthOf(value, isEncoding(encoding) ? encoding : 'utf8');
      const bytes = bytesOf(value);
      if (bytes === undefined) {
        throw wrongType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
      }
      return typedArrayLength(bytes);
    }

    static compare(a, b) {
      checkBytes(a, 'buf1');
      checkBytes(b, 'buf2');
      return compareBytes(a, b);
    }

    static concat(items, length) {
      if (!isArray(items)) throw wrongType('list', 'an instance of Array', items);
      let total = 0;
      for (let i = 0; i < items.length; i++) {
        checkBytes(items[i], `list[${i}]`);
        total += typedArrayLength(items[i]);
      }
      const size = length === undefined ? total : length;
      checkSize(size);
      const result = new Buffer(size);
      let at = 0;
      for (let i = 0; i < items.length && at < size; i++) {
        const count = min(typedArrayLength(items[i]), size - at);
        typedArraySet(result, bytesBetween(bytesOf(items[i]), 0, count), at);
        at += count;
      }
      return result;
    }

    static isBuffer(value) {
      return value instanceof Buffer;
    }

    static isEncoding(encoding) {
      return isEncoding(encoding);
    }

    get parent() {
      return typedArrayBuffer(this);
    }

    toString(encoding, start, end) {
      const length = typedArrayLength(this);
      const first = start === undefined ? 0 : max(0, trunc(+start) || 0);
      const last = end === undefined ? length : min(length, trunc(+end) || 0);
      return last <= first ? '' : toText(bytesBetween(bytesOf(this), first, last), encoding);
    }

    toJSON() {
      const data = [];
      for (let i = 0; i < typedArrayLength(this); i++) append(data, this[i]);
      return { type: 'Buffer', data };
    }

    equals(other) {
      checkBytes(other, 'otherBuffer');
      return compareBytes(this, other) === 0;
    }

    compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
      checkBytes(target, 'target');
      return compareBytes(
        part(this, sourceStart, sourceEnd),
        part(target, targetStart, targetEnd),
      );
    }

    indexOf(value, byteOffset, encoding) {
      return locate(this, value, byteOffset, encoding, true);
    }

    lastIndexOf(value, byteOffset, encoding) {
      return locate(this, value, byteOffset, encoding, false);
    }

    includes(value, byteOffset, encoding) {
      return locate(this, value, byteOffset, encoding, true) !== -1;
    }

    subarray(start, end) {
      const length = typedArrayLength(this);
      const first = clampIndex(start, length, 0);
      const last = clampIndex(end, length, length);
      return new Buffer(typedArrayBuffer(this), typedArrayByteOffset(this) + first, max(0, last - first));
    }

    slice(start, end) {
      return this.subarray(start, end);
    }

    copy(target, targetStart = 0, sourceStart = 0, sourceEnd = undefined) {
      checkBytes(target, 'target');
      const source = part(this, sourceStart, sourceEnd);
      const count = max(0, min(typedArrayLength(source), typedArrayLength(target) - targetStart));
      typedArraySet(target, bytesBetween(source, 0, count), targetStart);
      return count;
    }

    write(text, offset, length, encoding) {
      if (typeof text !== 'string') throw wrongType('argument', 'of type string', text);
      if (typeof offset === 'string') return this.write(text, 0, undefined, offset);
      if (typeof length === 'string') return this.write(text, offset, undefined, length);
      const at = offset ?? 0;
      const room = typedArrayLength(this) - at;
      if (room < 0) throw outOfRange('offset', `>= 0 && <= ${typedArrayLength(this)}`, at);
      const bytes = from(text, encoding);
      let count = min(typedArrayLength(bytes), room, length ?? room);
      // A character that does not fit completely is omitted.
      if (encodingOf(encoding) === 'utf8') while (count > 0 && (bytes[count] & 0xc0) === 0x80) count--;
      typedArraySet(this, bytesBetween(bytes, 0, count), at);
      return count;
    }

    fill(value, offset, end, encoding) {
      if (typeof offset === 'string') return this.fill(value, 0, undefined, offset);
      if (typeof end === 'string') return this.fill(value, offset, undefined, end);
      const first = offset ?? 0;
      const last = end ?? typedArrayLength(this);
      if (typeof value === 'number' || typeof value === 'boolean') {
        return typedArrayFill(this, value & 255, first, last);
      }
      const pattern = typeof value === 'string' ? from(value, encoding) : bytesOf(value);
      const size = pattern === undefined ? 0 : typedArrayLength(pattern);
      if (size === 0) {
        if (value === '') return typedArrayFill(this, 0, first, last);
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
          `The argument 'value' is invalid. Received ${internals.inspect(value)}`);
      }
      for (let i = first; i < last; i++) this[i] = pattern[(i - first) % size];
      return this;
    }

    [customInspect](depth, options) {
      const length = typedArrayLength(this);
      const parts = list();
      for (let i = 0; i < length && i < MAX_INSPECTED; i++) parts[i] = byteHex(this[i]);
      const rest = length - MAX_INSPECTED;
      if (rest > 0) parts[parts.length] = `... ${rest} more byte${rest > 1 ? 's' : ''}`;
      return `<Buffer ${arrayJoin(parts, ' ')}>`;
    }
  }

  // Returns the bytes between two indices, which are clamped to the bounds.
  const part = (bytes, start, end) => {
    const length = typedArrayLength(bytes);
    const first = clampIndex(start, length, 0);
    return bytesBetween(bytesOf(bytes), first, max(first, clampIndex(end, length, length)));
  };
  // Returns a Buffer that shares the memory of the bytes.
  const adopt = (bytes) => new Buffer(typedArrayBuffer(bytes), typedArrayByteOffset(bytes), typedArrayLength(bytes));
  const fromArrayLike = (source) => {
    const buffer = new Buffer(max(0, trunc(source.length) || 0));
    for (let i = 0; i < typedArrayLength(buffer); i++) buffer[i] = source[i];
    return buffer;
  };
  const fromArrayBuffer = (source, byteOffset, length) => {
    const size = arrayBufferByteLength(source);
    const offset = trunc(+(byteOffset ?? 0)) || 0;
    if (offset > size) {
      throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
    }
    const count = length === undefined ? size - offset : max(0, trunc(+length) || 0);
    if (count > size - offset) {
      throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds');
    }
    return new Buffer(source, offset, count);
  };

  internals.defineModule('buffer', () => {
    internals.addBufferNumbers(Buffer.prototype);
    return {
      Blob: globals.Blob,
      Buffer,
      INSPECT_MAX_BYTES: MAX_INSPECTED,
      atob: globals.atob,
      btoa: globals.btoa,
      constants: { MAX_LENGTH },
      kMaxLength: MAX_LENGTH,
    };
  });
};
