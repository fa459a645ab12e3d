// The `crypto` module: createHash. There is no secure randomness in the sandbox, so none is offered.
(internals) => {
  'use strict';

  const { Error, append, isView, stringToLowerCase } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;
  const { bytesOf } = internals;
  const { copyHash, finishHash, names, startHash, updateHash } = internals.hashes;

  internals.defineModule('crypto', () => {
    const { Buffer } = internals.require('buffer');
    const { from, toText } = internals.bufferCodec;

    class Hash {
      #state;
      #finished = false;

      constructor(algorithm) {
        this.#state = typeof algorithm === 'string' ? startHash(stringToLowerCase(algorithm)) : algorithm;
        if (this.#state === undefined) throw new Error('Digest method not supported');
      }

      update(data, encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        if (typeof data !== 'string' && !isView(data)) {
          throw wrongType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
        }
        updateHash(this.#state, typeof data === 'string' ? from(data, encoding) : bytesOf(data));
        return this;
      }

      digest(encoding) {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#finished = true;
        const bytes = finishHash(this.#state);
        if (encoding !== undefined && encoding !== 'buffer') return toText(bytes, encoding);
        return new Buffer(bytes);
      }

      copy() {
        if (this.#finished) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        return new Hash(copyHash(this.#state));
      }
    }

    const createHash = (algorithm) => {
      if (typeof algorithm !== 'string') throw wrongType('algorithm', 'of type string', algorithm);
      return new Hash(algorithm);
    };
    const getHashes = () => {
      const result = [];
      for (let i = 0; i < names.length; i++) append(result, names[i]);
      return result;
    };
    return { createHash, getHashes, Hash };
  });
};
