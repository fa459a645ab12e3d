// TextEncoder and TextDecoder for UTF-8, UTF-16LE and windows-1252.
(internals) => {
  'use strict';

  const {
    RangeError, String, TypeError, Uint8Array, apply, arrayBufferByteLength, arrayJoin, dataViewBuffer,
    dataViewByteLength, dataViewByteOffset, fromCharCode, isView, list, stringCodePointAt, stringSlice,
    stringToLowerCase, stringToWellFormed, stringTrim, typedArrayBuffer, typedArrayByteLength, typedArrayByteOffset,
    typedArrayLength, typedArrayName,
  } = internals.primordials;
  const { asInterface, coded, wrongType } = internals.exceptions;
  const { utf8Decode, utf8Encode } = internals;

  /** Returns the bytes of an ArrayBuffer or view without copying, or undefined for anything else. */
  const bytesOf = (source) => {
    if (isView(source)) {
      return typedArrayName(source) === undefined
        ? new Uint8Array(dataViewBuffer(source), dataViewByteOffset(source), dataViewByteLength(source))
        : new Uint8Array(typedArrayBuffer(source), typedArrayByteOffset(source), typedArrayByteLength(source));
    }
    try {
      arrayBufferByteLength(source);
    } catch {
      return undefined;
    }
    return new Uint8Array(source);
  };

  /** Encodes a string as UTF-8; lone surrogates become U+FFFD. */
  const encodeUtf8 = (text) => utf8Encode(stringToWellFormed(text));

  const CHUNK = 4096;

  /** Returns the string with the code units `unitAt(0)`, …, `unitAt(count - 1)`. */
  const stringFromUnits = (count, unitAt) => {
    const chunks = list();
    for (let start = 0; start < count; start += CHUNK) {
      const units = list();
      for (let i = start; i < count && i < start + CHUNK; i++) units[i - start] = unitAt(i);
      chunks[chunks.length] = apply(fromCharCode, String, units);
    }
    return arrayJoin(chunks, '');
  };

  const decodeUtf16 = (bytes, fatal) => {
    const length = typedArrayLength(bytes);
    const half = (length - (length % 2)) / 2;
    const raw = stringFromUnits(half, (i) => bytes[2 * i] | (bytes[2 * i + 1] << 8));
    const text = stringToWellFormed(raw);
    if (fatal && (text !== raw || length % 2 === 1)) return null;
    // A single byte after half a surrogate pair counts as the same error.
    const open = half > 0 && (bytes[2 * half - 1] & 0xfc) === 0xd8;
    return length % 2 === 1 && !open ? `${text}\ufffd` : text;
  };

  // The bytes 0x80 to 0x9f, https://encoding.spec.whatwg.org/index-windows-1252.txt
  const windows1252 = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e,
    0x178,
  ];
  const decodeWindows1252 = (bytes) => stringFromUnits(typedArrayLength(bytes), (i) => {
    const byte = bytes[i];
    return byte >= 0x80 && byte < 0xa0 ? windows1252[byte - 0x80] : byte;
  });

  const decoders = { __proto__: null, 'utf-8': utf8Decode, 'utf-16le': decodeUtf16, 'windows-1252': decodeWindows1252 };
  // https://encoding.spec.whatwg.org/#names-and-labels
  const labels = { __proto__: null };
  const addLabels = (encoding, names) => {
    for (let i = 0; i < names.length; i++) labels[names[i]] = encoding;
  };
  addLabels('utf-8', ['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8']);
  addLabels('utf-16le', ['utf-16le', 'utf-16', 'ucs-2', 'unicode', 'unicodefeff', 'csunicode', 'iso-10646-ucs-2']);
  addLabels('windows-1252', [
    'windows-1252', 'latin1', 'iso-8859-1', 'ascii', 'us-ascii', 'l1', 'cp1252', 'x-cp1252', 'cp819', 'ibm819',
    'iso8859-1', 'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'iso-ir-100', 'csisolatin1', 'ansi_x3.4-1968',
  ]);

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(input = '') {
      return encodeUtf8(`${input}`);
    }

    encodeInto(source, destination) {
      if (typeof source !== 'string') throw wrongType('src', 'of type string', source);
      if (!isView(destination) || typedArrayName(destination) !== 'Uint8Array') {
        throw wrongType('dest', 'an instance of Uint8Array', destination);
      }
      const room = typedArrayLength(destination);
      let read = 0;
      let written = 0;
      while (read < source.length) {
        let code = stringCodePointAt(source, read);
        const units = code > 0xffff ? 2 : 1;
        if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (written + size > room) break;
        if (size === 1) destination[written] = code;
        else destination[written] = (0xf00 >> size & 0xff) | (code >> (6 * (size - 1)));
        for (let i = 1; i < size; i++) destination[written + i] = 0x80 | ((code >> (6 * (size - 1 - i))) & 0x3f);
        read += units;
        written += size;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;

    constructor(label = 'utf-8', options = {}) {
      const encoding = labels[stringToLowerCase(stringTrim(`${label}`))];
      if (encoding === undefined) {
        throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
      }
      if (options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw wrongType('options', 'of type object', options);
      }
      this.#encoding = encoding;
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input, options = {}) {
      if (options?.stream) {
        throw new TypeError('decode(): the "stream" option is not supported; decode the whole input at once');
      }
      if (input === undefined) return '';
      const bytes = bytesOf(input);
      if (bytes === undefined) throw wrongType('list', 'an instance of ArrayBuffer or ArrayBufferView', input);
      const text = decoders[this.#encoding](bytes, this.#fatal);
      if (text === null) {
        throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA',
          `The encoded data was not valid for encoding ${this.#encoding}`);
      }
      return text[0] === '\ufeff' && !this.#ignoreBOM ? stringSlice(text, 1) : text;
    }
  }

  internals.globals.TextEncoder = asInterface(TextEncoder, 'TextEncoder');
  internals.globals.TextDecoder = asInterface(TextDecoder, 'TextDecoder');
  internals.bytesOf = bytesOf;
  internals.encodeUtf8 = encodeUtf8;
  internals.stringFromUnits = stringFromUnits;
  internals.decodeUtf16 = decodeUtf16;
};
