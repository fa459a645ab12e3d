// Buffer's readers and writers of numbers: readUInt16LE, writeDoubleBE and the like.
(internals) => {
  'use strict';

  const {
    DataView, RangeError, define, typedArrayBuffer, typedArrayByteOffset, typedArrayLength, uncurry,
  } = internals.primordials;
  const { coded, outOfRange, wrongType } = internals.exceptions;

  const kinds = [
    ['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4],
    ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigUInt64', 'BigUint64', 8],
    ['BigInt64', 'BigInt64', 8],
  ];
  // Minimum and maximum of the integer kinds.
  const limits = {
    __proto__: null, UInt8: [0, 255], Int8: [-128, 127], UInt16: [0, 65535], Int16: [-32768, 32767],
    UInt32: [0, 2 ** 32 - 1], Int32: [-(2 ** 31), 2 ** 31 - 1],
  };

  const checkOffset = (buffer, offset, size) => {
    if (typeof offset !== 'number') throw wrongType('offset', 'of type number', offset);
    const last = typedArrayLength(buffer) - size;
    if (last < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
    if (!(offset >= 0 && offset <= last)) throw outOfRange('offset', `>= 0 and <= ${last}`, offset);
  };
  const viewOf = (buffer) =>
    new DataView(typedArrayBuffer(buffer), typedArrayByteOffset(buffer), typedArrayLength(buffer));

  const methods = [];
  for (let i = 0; i < kinds.length; i++) {
    const [name, type, size] = kinds[i];
    const get = uncurry(DataView.prototype[`get${type}`]);
    const set = uncurry(DataView.prototype[`set${type}`]);
    const orders = size === 1 ? [['', true]] : [['LE', true], ['BE', false]];
    for (let j = 0; j < orders.length; j++) {
      const [suffix, little] = orders[j];
      methods[methods.length] = { name: `read${name}${suffix}`, method: (buffer, offset) => {
        checkOffset(buffer, offset, size);
        return get(viewOf(buffer), offset, little);
      } };
      methods[methods.length] = { name: `write${name}${suffix}`, method: (buffer, offset, value) => {
        const range = limits[name];
        if (range !== undefined && !(value >= range[0] && value <= range[1])) {
          throw outOfRange('value', `>= ${range[0]} and <= ${range[1]}`, value);
        }
        checkOffset(buffer, offset, size);
        set(viewOf(buffer), offset, value, little);
        return offset + size;
      } };
    }
  }

  // Integers of up to six bytes: readUIntLE and the like.
  const checkSize = (size) => {
    if (typeof size !== 'number') throw wrongType('byteLength', 'of type number', size);
    if (!(size >= 1 && size <= 6 && size % 1 === 0)) throw outOfRange('byteLength', '>= 1 and <= 6', size);
  };
  const sized = [['UInt', false], ['Int', true]];
  for (let i = 0; i < sized.length; i++) {
    const [name, signed] = sized[i];
    for (let j = 0; j < 2; j++) {
      const suffix = j === 0 ? 'LE' : 'BE';
      const place = (offset, size, k) => offset + (j === 0 ? k : size - 1 - k);
      methods[methods.length] = { name: `read${name}${suffix}`, sized: true, method: (buffer, offset, value, size) => {
        if (typeof offset !== 'number') throw wrongType('offset', 'of type number', offset);
        checkSize(size);
        checkOffset(buffer, offset, size);
        let number = 0;
        for (let k = 0; k < size; k++) number += buffer[place(offset, size, k)] * 2 ** (8 * k);
        return signed && number >= 2 ** (8 * size - 1) ? number - 2 ** (8 * size) : number;
      } };
      methods[methods.length] = { name: `write${name}${suffix}`, sized: true, method: (buffer, offset, value, size) => {
        checkSize(size);
        const bits = 8 * size - (signed ? 1 : 0);
        const least = signed ? -(2 ** bits) : 0;
        if (!(value >= least && value < 2 ** bits)) {
          const low = signed ? `-(2 ** ${bits})` : '0';
          throw outOfRange('value', size > 4 ? `>= ${low} and < 2 ** ${bits}` : `>= ${least} and <= ${2 ** bits - 1}`, value);
        }
        checkOffset(buffer, offset, size);
        let rest = value - value % 1;
        if (rest < 0) rest += 2 ** (8 * size);
        for (let k = 0; k < size; k++) {
          buffer[place(offset, size, k)] = rest % 256;
          rest = (rest - rest % 256) / 256;
        }
        return offset + size;
      } };
    }
  }

  /** Swaps the bytes of each number of `size` bytes. */
  const swap = (buffer, size) => {
    const length = typedArrayLength(buffer);
    if (length % size !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${size * 8}-bits`);
    for (let at = 0; at < length; at += size) {
      for (let i = 0, j = size - 1; i < j; i++, j--) {
        const byte = buffer[at + i];
        buffer[at + i] = buffer[at + j];
        buffer[at + j] = byte;
      }
    }
    return buffer;
  };

  /** Adds the methods to Buffer's prototype, with aliases such as `readUint8` for unsigned integers. */
  internals.addBufferNumbers = (prototype) => {
    for (let i = 0; i < methods.length; i++) {
      const { name, method, sized: isSized } = methods[i];
      const reads = name[0] === 'r';
      const own = isSized ? reads
        ? { [name](offset, byteLength) { return method(this, offset, undefined, byteLength); } }
        : { [name](value, offset, byteLength) { return method(this, offset, value, byteLength); } } : reads
        ? { [name](offset = 0) { return method(this, offset); } }
        : { [name](value, offset = 0) { return method(this, offset, value); } };
      define(prototype, name, own[name], true);
      const alias = internals.primordials.replaceAll(name, 'UInt', 'Uint');
      if (alias !== name) define(prototype, alias, own[name], true);
    }
    define(prototype, 'swap16', function swap16() { return swap(this, 2); }, true);
    define(prototype, 'swap32', function swap32() { return swap(this, 4); }, true);
    define(prototype, 'swap64', function swap64() { return swap(this, 8); }, true);
  };
};
