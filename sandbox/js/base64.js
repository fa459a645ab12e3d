// atob and btoa, and base64 between bytes and text.
(internals) => {
  'use strict';

  const { Uint8Array, bytesBetween, ceil, stringCharCodeAt, stringSlice, typedArrayLength } = internals.primordials;
  const { DOMException, missing } = internals.exceptions;
  const { stringFromUnits } = internals;

  const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const urlSafe = `${stringSlice(standard, 0, 62)}-_`;
  const PADDING = 61; // =

  const codesOf = (alphabet) => {
    const codes = new Uint8Array(64);
    for (let i = 0; i < 64; i++) codes[i] = stringCharCodeAt(alphabet, i);
    return codes;
  };
  const standardCodes = codesOf(standard);
  const urlSafeCodes = codesOf(urlSafe);
  const INVALID = 255;
  const values = new Uint8Array(256);
  for (let i = 0; i < 256; i++) values[i] = INVALID;
  for (let i = 0; i < 64; i++) {
    values[standardCodes[i]] = i;
    values[urlSafeCodes[i]] = i;
  }

  /** Base64 of bytes: the standard alphabet with padding, or with `url` the URL-safe one without (RFC 4648). */
  const encodeBase64 = (bytes, url) => {
    const codes = url ? urlSafeCodes : standardCodes;
    const length = typedArrayLength(bytes);
    const full = ((length + 2) / 3 | 0) * 4;
    const count = url ? ceil((length * 4) / 3) : full;
    return stringFromUnits(count, (i) => {
      const group = (i >> 2) * 3;
      const first = group < length ? bytes[group] : 0;
      const second = group + 1 < length ? bytes[group + 1] : 0;
      const third = group + 2 < length ? bytes[group + 2] : 0;
      switch (i & 3) {
        case 0: return codes[first >> 2];
        case 1: return codes[((first & 3) << 4) | (second >> 4)];
        case 2: return group + 1 < length ? codes[((second & 15) << 2) | (third >> 6)] : PADDING;
        default: return group + 2 < length ? codes[third & 63] : PADDING;
      }
    });
  };

  const pack = (sextets, count) => {
    const bytes = new Uint8Array((count * 3) >> 2);
    let at = 0;
    for (let i = 0; i + 1 < count; i += 4) {
      bytes[at++] = (sextets[i] << 2) | (sextets[i + 1] >> 4);
      if (i + 2 < count) bytes[at++] = (sextets[i + 1] << 4) | (sextets[i + 2] >> 2);
      if (i + 3 < count) bytes[at++] = (sextets[i + 2] << 6) | sextets[i + 3];
    }
    return bytesBetween(bytes, 0, at);
  };

  /** Decodes as Node's Buffer does: both alphabets, other characters skipped, all after the first `=` ignored. */
  const decodeBase64 = (text) => {
    const sextets = new Uint8Array(text.length);
    let count = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      if (code === PADDING) break;
      if (code < 256 && values[code] !== INVALID) sextets[count++] = values[code];
    }
    return pack(sextets, count);
  };

  const isSpace = (code) => code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
  const invalidCharacter = () => new DOMException('Invalid character', 'InvalidCharacterError');

  // https://infra.spec.whatwg.org/#forgiving-base64-decode
  const decodeForgiving = (text) => {
    const sextets = new Uint8Array(text.length);
    let count = 0;
    let padding = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      if (isSpace(code)) continue;
      if (code === PADDING) {
        padding++;
        continue;
      }
      const value = code < 256 && code !== 45 && code !== 95 ? values[code] : INVALID;
      if (value === INVALID || padding > 0) throw invalidCharacter();
      sextets[count++] = value;
    }
    if (padding > 2 || (padding > 0 && (count + padding) % 4 !== 0)) throw invalidCharacter();
    if (count % 4 === 1) {
      throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
    }
    return pack(sextets, count);
  };

  function atob(input) {
    if (arguments.length === 0) throw missing('input');
    const bytes = decodeForgiving(`${input}`);
    return stringFromUnits(typedArrayLength(bytes), (i) => bytes[i]);
  }

  function btoa(input) {
    if (arguments.length === 0) throw missing('input');
    const text = `${input}`;
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      if (code > 255) throw invalidCharacter();
      bytes[i] = code;
    }
    return encodeBase64(bytes, false);
  }

  internals.globals.atob = atob;
  internals.globals.btoa = btoa;
  internals.base64 = { __proto__: null, decodeBase64, encodeBase64 };
};
