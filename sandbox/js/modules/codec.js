// Converts between bytes and text in Buffer's encodings.
(internals) => {
  'use strict';

  const {
    TypeError, Uint8Array, bytesBetween, fromCharCode, stringCharCodeAt, stringToLowerCase, typedArrayLength,
  } = internals.primordials;
  const { coded } = internals.exceptions;
  const { decodeUtf16, encodeUtf8, stringFromUnits, utf8Decode } = internals;
  const { base64Decode, base64Encode } = internals;

  const HEX = '0123456789abcdef';
  const hexValue = (code) => {
    if (code >= 48 && code <= 57) return code - 48;
    const lower = code | 32;
    return lower >= 97 && lower <= 102 ? lower - 87 : -1;
  };

  // Drops an odd digit at the end, and stops at the first character that is not a digit.
  const decodeHex = (text) => {
    const bytes = new Uint8Array((text.length - (text.length % 2)) / 2);
    let count = 0;
    while (count < typedArrayLength(bytes)) {
      const high = hexValue(stringCharCodeAt(text, 2 * count));
      const low = hexValue(stringCharCodeAt(text, 2 * count + 1));
      if (high < 0 || low < 0) break;
      bytes[count++] = high * 16 + low;
    }
    return bytesBetween(bytes, 0, count);
  };
  const encodeHex = (bytes) => stringFromUnits(2 * typedArrayLength(bytes), (i) => {
    const byte = bytes[i >> 1];
    return stringCharCodeAt(HEX, i & 1 ? byte & 15 : byte >> 4);
  });

  const decodeLatin1 = (text) => {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = stringCharCodeAt(text, i);
    return bytes;
  };
  const encodeUtf16 = (text) => {
    const bytes = new Uint8Array(2 * text.length);
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      bytes[2 * i] = code;
      bytes[2 * i + 1] = code >> 8;
    }
    return bytes;
  };
  const evenUtf16 = (bytes) => {
    const length = typedArrayLength(bytes);
    return decodeUtf16(bytesBetween(bytes, 0, length - (length % 2)), false);
  };

  // Functions from text to bytes and from bytes to text, by encoding.
  const codec = (name, encode, decode) => ({ __proto__: null, name, encode, decode });
  const codecs = { __proto__: null };
  codecs.utf8 = codec('utf8', encodeUtf8, (bytes) => utf8Decode(bytes, false));
  codecs['utf-8'] = codecs.utf8;
  codecs.hex = codec('hex', decodeHex, encodeHex);
  codecs.base64 = codec('base64', base64Decode, (bytes) => base64Encode(bytes, false));
  codecs.base64url = codec('base64url', base64Decode, (bytes) => base64Encode(bytes, true));
  codecs.latin1 = codec('latin1', decodeLatin1, (bytes) => stringFromUnits(typedArrayLength(bytes), (i) => bytes[i]));
  codecs.binary = codecs.latin1;
  const asciiText = (bytes) => stringFromUnits(typedArrayLength(bytes), (i) => bytes[i] & 127);
  codecs.ascii = codec('ascii', decodeLatin1, asciiText);
  codecs.utf16le = codec('utf16le', encodeUtf16, evenUtf16);
  codecs['utf-16le'] = codecs.utf16le;
  codecs.ucs2 = codecs.utf16le;
  codecs['ucs-2'] = codecs.utf16le;

  const find = (encoding) => {
    if (encoding === undefined || encoding === null || encoding === '') return codecs.utf8;
    const found = codecs[stringToLowerCase(`${encoding}`)];
    if (found === undefined) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    return found;
  };

  internals.bufferCodec = {
    __proto__: null,
    /** Encodes a text, in UTF-8 by default. */
    from: (text, encoding) => find(encoding).encode(text),
    /** Returns the number of bytes of an encoded text; for hex and base64, an estimate that assumes valid text. */
    lengthOf: (text, encoding) => {
      const { name, encode } = find(encoding);
      if (name === 'hex') return text.length >> 1;
      if (name !== 'base64' && name !== 'base64url') return typedArrayLength(encode(text));
      let { length } = text;
      for (let i = 0; i < 2 && text[length - 1] === '='; i++) length--;
      return (length * 3) >> 2;
    },
    /** Returns the canonical name of an encoding: `utf8` for `utf-8`, `latin1` for `binary`. */
    encodingOf: (encoding) => find(encoding).name,
    isEncoding: (encoding) => typeof encoding === 'string' && codecs[stringToLowerCase(encoding)] !== undefined,
    /** Decodes bytes to text, in UTF-8 by default. */
    toText: (bytes, encoding) => find(encoding).decode(bytes),
    byteHex: (byte) => fromCharCode(stringCharCodeAt(HEX, byte >> 4), stringCharCodeAt(HEX, byte & 15)),
  };
};
