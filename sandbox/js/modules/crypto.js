// The `crypto` module and the global of that name: hashes, HMAC, random bytes.
(internals) => {
  'use strict';

  const {
    Error, TypeError, Uint8Array, append, isInteger, isView, min, stringSlice, stringToLowerCase, typedArrayBuffer,
    typedArrayByteOffset, typedArrayByteLength, typedArrayLength, typedArrayName, typedArraySet,
  } = internals.primordials;
  const { DOMException, coded, missing, outOfRange, wrongType } = internals.exceptions;
  const { bytesOf, hash } = internals;

  const none = new Uint8Array(0);
  // Bytes of a block, to which HMAC pads its key.
  const blocks = { __proto__: null, md5: 64, sha1: 64, sha224: 64, sha256: 64, sha384: 128, sha512: 128 };
  const nameOf = (algorithm) => {
    const name = stringToLowerCase(algorithm);
    // WebCrypto writes `SHA-256`.
    const plain = stringSlice(name, 0, 4) === 'sha-' ? `sha${stringSlice(name, 4)}` : name;
    return plain in blocks ? plain : undefined;
  };
  const MOST_BYTES = 2 ** 31 - 1;
  /** Maximum bytes of one `getRandomValues` call, as its specification requires. */
  const QUOTA = 65_536;

  /** Returns random bytes. The host creates them in pieces, so that it never stores many at a time. */
  const random = (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += QUOTA) typedArraySet(bytes, internals.random(min(QUOTA, length - at)), at);
    return bytes;
  };
  const digestOf = (name, bytes) => hash(name, none, bytes, true);
  const filled = (bytes, length, mask) => {
    const block = new Uint8Array(length);
    typedArraySet(block, bytes);
    for (let i = 0; i < length; i++) block[i] ^= mask;
    return block;
  };

  const hex = '0123456789abcdef';
  const randomUUID = () => {
    const bytes = random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
      text += hex[bytes[i] >> 4] + hex[bytes[i] & 15];
    }
    return text;
  };
  const getRandomValues = (array) => {
    const kind = isView(array) ? typedArrayName(array) : undefined;
    if (kind === undefined || kind === 'Float32Array' || kind === 'Float64Array') {
      throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    }
    const length = typedArrayByteLength(array);
    if (length > QUOTA) {
      throw new DOMException(`The requested length exceeds ${QUOTA} bytes`, 'QuotaExceededError');
    }
    typedArraySet(new Uint8Array(typedArrayBuffer(array), typedArrayByteOffset(array), length), random(length));
    return array;
  };
  const subtle = {
    __proto__: null,
    async digest(algorithm, data) {
      if (arguments.length < 2) throw missing('algorithm', 'data');
      const wanted = typeof algorithm === 'string' ? algorithm : algorithm?.name;
      const name = nameOf(`${wanted}`);
      if (name === undefined || name === 'md5' || name === 'sha224') {
        throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
      }
      const bytes = typeof data === 'object' && data !== null ? bytesOf(data) : undefined;
      if (bytes === undefined) throw wrongType('data', 'an instance of ArrayBuffer or ArrayBufferView', data);
      return typedArrayBuffer(digestOf(name, bytes));
    },
  };
  internals.globals.crypto = { subtle, getRandomValues, randomUUID };

  internals.defineModule('crypto', () => {
    const { Buffer } = internals.require('buffer');
    const { from, toText } = internals.bufferCodec;

    const toBytes = (data, encoding) => {
      if (typeof data !== 'string' && !isView(data)) {
        throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
      }
      return typeof data === 'string' ? from(data, encoding) : bytesOf(data);
    };
    const asked = (bytes, encoding) =>
      (encoding !== undefined && encoding !== 'buffer' ? toText(bytes, encoding) : new Buffer(bytes));

    class Hash {
      #name;
      #state = none;
      #finished = false;

      constructor(algorithm) {
        this.#name = typeof algorithm === 'string' ? nameOf(algorithm) : undefined;
        if (this.#name === undefined) throw new Error('Digest method not supported');
      }

      update(data, encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#state = hash(this.#name, this.#state, toBytes(data, encoding), false);
        return this;
      }

      digest(encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#finished = true;
        return asked(hash(this.#name, this.#state, none, true), encoding);
      }

      copy() {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        const copy = new Hash(this.#name);
        copy.#state = this.#state;
        return copy;
      }
    }

    // RFC 2104.
    class Hmac {
      #name;
      #inner;
      #outer;
      #finished = false;

      constructor(algorithm, key) {
        this.#name = nameOf(algorithm);
        if (this.#name === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
        const length = blocks[this.#name];
        const bytes = typeof key === 'string' ? from(key, 'utf8') : bytesOf(key);
        const short = typedArrayLength(bytes) > length ? digestOf(this.#name, bytes) : bytes;
        this.#inner = hash(this.#name, none, filled(short, length, 0x36), false);
        this.#outer = hash(this.#name, none, filled(short, length, 0x5c), false);
      }

      update(data, encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#inner = hash(this.#name, this.#inner, toBytes(data, encoding), false);
        return this;
      }

      digest(encoding) {
        // As in Node.js, a second digest is empty.
        if (this.#finished) return asked(none, encoding);
        this.#finished = true;
        const inner = hash(this.#name, this.#inner, none, true);
        return asked(hash(this.#name, this.#outer, inner, true), encoding);
      }
    }

    const checkLength = (size, name) => {
      if (typeof size !== 'number') throw wrongType(name, 'of type number', size);
      if (!(size >= 0 && size <= MOST_BYTES)) throw outOfRange(name, `>= 0 && <= ${MOST_BYTES}`, size);
    };
    const randomBytes = (size, callback) => {
      checkLength(size, 'size');
      const bytes = new Buffer(random(size));
      if (callback === undefined) return bytes;
      if (typeof callback !== 'function') throw wrongType('callback', 'of type function', callback);
      callback(null, bytes);
      return undefined;
    };
    const randomInt = (first, second) => {
      const [low, high] = second === undefined ? [0, first] : [first, second];
      if (!isInteger(low)) throw wrongType('min', 'a safe integer', low);
      if (!isInteger(high)) throw wrongType('max', 'a safe integer', high);
      const range = high - low;
      if (!(range > 0)) throw outOfRange('max', `greater than the value of "min" (${low})`, high);
      const most = 2 ** 48;
      if (range >= most) throw outOfRange('max - min', `<= ${most - 1}`, range);
      const limit = most - (most % range);
      for (;;) {
        const bytes = random(6);
        let number = 0;
        for (let i = 0; i < 6; i++) number = number * 256 + bytes[i];
        if (number < limit) return low + (number % range);
      }
    };
    const timingSafeEqual = (a, b) => {
      if (!isView(a)) throw wrongType('buf1', 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', a);
      if (!isView(b)) throw wrongType('buf2', 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView', b);
      const [left, right] = [bytesOf(a), bytesOf(b)];
      if (typedArrayLength(left) !== typedArrayLength(right)) {
        throw coded(internals.primordials.RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
      }
      let difference = 0;
      for (let i = 0; i < typedArrayLength(left); i++) difference |= left[i] ^ right[i];
      return difference === 0;
    };
    const createHash = (algorithm) => {
      if (typeof algorithm !== 'string') throw wrongType('algorithm', 'of type string', algorithm);
      return new Hash(algorithm);
    };
    const hashOnce = (algorithm, input, encoding = 'hex') => {
      if (typeof input !== 'string' && !isView(input)) {
        throw wrongType('input', 'of type string or an instance of Buffer, TypedArray, or DataView', input);
      }
      if (typeof encoding !== 'string') throw wrongType('outputEncoding', 'of type string', encoding);
      return createHash(algorithm).update(input).digest(encoding);
    };
    const createHmac = (algorithm, key) => {
      if (typeof algorithm !== 'string') throw wrongType('hmac', 'of type string', algorithm);
      if (typeof key !== 'string' && !(typeof key === 'object' && key !== null && bytesOf(key) !== undefined)) {
        throw wrongType('key', 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey', key);
      }
      return new Hmac(algorithm, key);
    };
    const getHashes = () => {
      const result = [];
      for (const name in blocks) append(result, name);
      return result;
    };
    const webcrypto = internals.globals.crypto;
    return {
      createHash, createHmac, getHashes, getRandomValues, hash: hashOnce, randomBytes, randomInt, randomUUID, subtle, timingSafeEqual,
      webcrypto, Hash, Hmac,
    };
  });
};
