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
  // Smallest and largest value of the integer kinds.
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

  /** Puts the methods on Buffer's prototype, those for unsigned integers also as `readUint8` and the like. */
  internals.addBufferNumbers = (prototype) => {
    for (let i = 0; i < methods.length; i++) {
      const { name, method } = methods[i];
      const reads = name[0] === 'r';
      const own = reads
        ? { [name](offset = 0) { return method(this, offset); } }
        : { [name](value, offset = 0) { return method(this, offset, value); } };
      define(prototype, name, own[name], true);
      const alias = internals.primordials.replaceAll(name, 'UInt', 'Uint');
      if (alias !== name) define(prototype, alias, own[name], true);
    }
  };
};
