// MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS 180-4) over byte arrays.
(internals) => {
  'use strict';

  const {
    DataView, Int32Array, Uint8Array, typedArrayBuffer, typedArrayLength, typedArraySet, uncurry,
  } = internals.primordials;
  const { abs, cbrt, floor, sin, sqrt } = Math;
  const getUint32 = uncurry(DataView.prototype.getUint32);
  const setUint32 = uncurry(DataView.prototype.setUint32);

  const BLOCK = 64;
  const TWO_32 = 2 ** 32;
  const left = (value, bits) => (value << bits) | (value >>> (32 - bits));
  const right = (value, bits) => (value >>> bits) | (value << (32 - bits));
  const words = new Int32Array(80);

  // SHA-256 takes its constants from the fractions of the roots of the first 64 primes.
  const fraction = (value) => floor((value - floor(value)) * TWO_32);
  const sha256Start = new Int32Array(8);
  const sha256Words = new Int32Array(64);
  for (let n = 2, count = 0; count < 64; n++) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor !== 0) divisor++;
    if (divisor * divisor <= n) continue;
    if (count < 8) sha256Start[count] = fraction(sqrt(n));
    sha256Words[count] = fraction(cbrt(n));
    count++;
  }

  const sha256Block = (state) => {
    for (let i = 16; i < 64; i++) {
      const early = words[i - 15];
      const late = words[i - 2];
      words[i] = words[i - 16] + (right(early, 7) ^ right(early, 18) ^ (early >>> 3))
        + words[i - 7] + (right(late, 17) ^ right(late, 19) ^ (late >>> 10));
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let i = 0; i < 64; i++) {
      const sum = right(e, 6) ^ right(e, 11) ^ right(e, 25);
      const first = h + sum + ((e & f) ^ (~e & g)) + sha256Words[i] + words[i];
      const second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  };

  const sha1Start = new Int32Array(5);
  typedArraySet(sha1Start, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const sha1Block = (state) => {
    for (let i = 16; i < 80; i++) words[i] = left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    for (let i = 0; i < 80; i++) {
      let mixed;
      if (i < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
      else if (i < 40) mixed = (b ^ c ^ d) + 0x6ed9eba1;
      else if (i < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else mixed = (b ^ c ^ d) + 0xca62c1d6;
      const next = (left(a, 5) + mixed + e + words[i]) | 0;
      e = d;
      d = c;
      c = left(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  };

  const md5Start = new Int32Array(4);
  typedArraySet(md5Start, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  const md5Words = new Int32Array(64);
  for (let i = 0; i < 64; i++) md5Words[i] = floor(abs(sin(i + 1)) * TWO_32);
  const md5Shifts = new Uint8Array(16);
  typedArraySet(md5Shifts, [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]);
  const md5Block = (state) => {
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    for (let i = 0; i < 64; i++) {
      let mixed;
      let at;
      if (i < 16) {
        mixed = (b & c) | (~b & d);
        at = i;
      } else if (i < 32) {
        mixed = (d & b) | (~d & c);
        at = (5 * i + 1) & 15;
      } else if (i < 48) {
        mixed = b ^ c ^ d;
        at = (3 * i + 5) & 15;
      } else {
        mixed = c ^ (b | ~d);
        at = (7 * i) & 15;
      }
      const next = (b + left((a + mixed + md5Words[i] + words[at]) | 0, md5Shifts[(i >> 4) * 4 + (i & 3)])) | 0;
      a = d;
      d = c;
      c = b;
      b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  };

  const algorithms = {
    __proto__: null,
    md5: { __proto__: null, start: md5Start, block: md5Block, little: true },
    sha1: { __proto__: null, start: sha1Start, block: sha1Block, little: false },
    sha256: { __proto__: null, start: sha256Start, block: sha256Block, little: false },
  };

  /** A running hash, or undefined for an algorithm that is not there: 'md5', 'sha1' or 'sha256'. */
  const startHash = (name) => {
    const algorithm = algorithms[name];
    if (algorithm === undefined) return undefined;
    const size = typedArrayLength(algorithm.start);
    const state = new Int32Array(size);
    typedArraySet(state, algorithm.start);
    return { __proto__: null, algorithm, state, block: new Uint8Array(BLOCK), filled: 0, total: 0 };
  };

  /** A copy of a running hash, which goes on by itself. */
  const copyHash = (hash) => {
    const state = new Int32Array(typedArrayLength(hash.state));
    const copy = { __proto__: null, ...hash, state, block: new Uint8Array(BLOCK) };
    typedArraySet(copy.state, hash.state);
    typedArraySet(copy.block, hash.block);
    return copy;
  };

  const mixBlock = (hash) => {
    const view = new DataView(typedArrayBuffer(hash.block));
    for (let i = 0; i < 16; i++) words[i] = getUint32(view, 4 * i, hash.algorithm.little);
    hash.algorithm.block(hash.state);
    hash.filled = 0;
  };

  /** Hashes more bytes. */
  const updateHash = (hash, bytes) => {
    const length = typedArrayLength(bytes);
    for (let i = 0; i < length; i++) {
      hash.block[hash.filled++] = bytes[i];
      if (hash.filled === BLOCK) mixBlock(hash);
    }
    hash.total += length;
  };

  /** Ends a hash and gives its digest: 16, 20 or 32 bytes. */
  const finishHash = (hash) => {
    const { little } = hash.algorithm;
    const bits = hash.total * 8;
    hash.block[hash.filled++] = 0x80;
    if (hash.filled > 56) {
      while (hash.filled < BLOCK) hash.block[hash.filled++] = 0;
      mixBlock(hash);
    }
    while (hash.filled < BLOCK) hash.block[hash.filled++] = 0;
    const view = new DataView(typedArrayBuffer(hash.block));
    setUint32(view, little ? 60 : 56, floor(bits / TWO_32), little);
    setUint32(view, little ? 56 : 60, bits % TWO_32, little);
    mixBlock(hash);
    const count = typedArrayLength(hash.state);
    const digest = new Uint8Array(4 * count);
    const out = new DataView(typedArrayBuffer(digest));
    for (let i = 0; i < count; i++) setUint32(out, 4 * i, hash.state[i], little);
    return digest;
  };

  internals.hashes = { __proto__: null, copyHash, finishHash, names: ['md5', 'sha1', 'sha256'], startHash, updateHash };
};
