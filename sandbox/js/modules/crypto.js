// The `crypto` module: createHash. There is no secure randomness in the sandbox, so none is offered.
(internals) => {
  'use strict';

  const { Error, Uint8Array, append, isView, stringToLowerCase } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;
  const { bytesOf, hash } = internals;

  const none = new Uint8Array(0);
  const names = { __proto__: null, md5: 'md5', sha1: 'sha1', sha256: 'sha256' };

  internals.defineModule('crypto', () => {
    const { Buffer } = internals.require('buffer');
    const { from, toText } = internals.bufferCodec;

    class Hash {
      #name;
      #state = none;
      #finished = false;

      constructor(algorithm) {
        this.#name = typeof algorithm === 'string' ? names[stringToLowerCase(algorithm)] : undefined;
        if (this.#name === undefined) throw new Error('Digest method not supported');
      }

      update(data, encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        if (typeof data !== 'string' && !isView(data)) {
          throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
        }
        const bytes = typeof data === 'string' ? from(data, encoding) : bytesOf(data);
        this.#state = hash(this.#name, this.#state, bytes, false);
        return this;
      }

      digest(encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#finished = true;
        const bytes = hash(this.#name, this.#state, none, true);
        if (encoding !== undefined && encoding !== 'buffer') return toText(bytes, encoding);
        return new Buffer(bytes);
      }

      copy() {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        const copy = new Hash(this.#name);
        copy.#state = this.#state;
        return copy;
      }
    }

    const createHash = (algorithm) => {
      if (typeof algorithm !== 'string') throw wrongType('algorithm', 'of type string', algorithm);
      return new Hash(algorithm);
    };
    const getHashes = () => {
      const result = [];
      for (const name in names) append(result, name);
      return result;
    };
    return { createHash, getHashes, Hash };
  });
};
