// `Math.random` on V8, whose own generator would continue from the state of the copied process: xoshiro128** by Blackman
// and Vigna (https://prng.di.unimi.it/xoshiro128starstar.c), seeded by the host at the first draw.
(internals) => {
  'use strict';
  const { imul } = Math;
  const seed = internals.native.op_repl_random_seed;
  const state = new Uint32Array(4);
  let seeded = false;
  const next = () => {
    const one = state[1];
    let drawn = imul(one, 5);
    drawn = imul((drawn << 7) | (drawn >>> 25), 9);
    state[2] ^= state[0];
    state[3] ^= one;
    state[1] = one ^ state[2];
    state[0] ^= state[3];
    state[2] ^= one << 9;
    state[3] = (state[3] << 11) | (state[3] >>> 21);
    return drawn;
  };
  const { random } = {
    random() {
      if (!seeded) {
        for (let i = 0; i < 4; i++) state[i] = seed();
        seeded = true;
      }
      // 53 bits.
      return ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000;
    },
  };
  Object.defineProperty(Math, 'random', { __proto__: null, value: random, writable: true, enumerable: false, configurable: true });
};
