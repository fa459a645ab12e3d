// The `querystring` module.
(internals) => {
  'use strict';

  const {
    String, URIError, append, decodeURIComponent, encodeURIComponent, isArray, keys, replaceAll, stringIndexOf,
    stringIsWellFormed, stringSlice,
  } = internals.primordials;
  const { coded } = internals.exceptions;
  const { percentDecode } = internals;

  const DEFAULT_MAX_KEYS = 1000;

  const escape = (value) => {
    const text = typeof value === 'object' ? String(value) : `${value}`;
    if (!stringIsWellFormed(text)) throw coded(URIError, 'ERR_INVALID_URI', 'URI malformed');
    return encodeURIComponent(text);
  };

  const unescape = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return percentDecode(`${text}`);
    }
  };

  const primitiveText = (value) => {
    switch (typeof value) {
      case 'string': return value;
      case 'number': return value - value === 0 ? `${value}` : '';
      case 'bigint':
      case 'boolean': return `${value}`;
      default: return '';
    }
  };

  internals.defineModule('querystring', () => {
    const stringify = (object, separator, equals, options) => {
      if (object === null || typeof object !== 'object') return '';
      const sep = separator || '&';
      const eq = equals || '=';
      const custom = options?.encodeURIComponent;
      const encode = typeof custom === 'function' ? custom : querystring.escape;
      const names = keys(object);
      let result = '';
      const add = (name, value) => {
        result += `${result === '' ? '' : sep}${name}${eq}${encode(primitiveText(value))}`;
      };
      for (let i = 0; i < names.length; i++) {
        const name = encode(names[i]);
        const value = object[names[i]];
        if (!isArray(value)) add(name, value);
        else for (let j = 0; j < value.length; j++) add(name, value[j]);
      }
      return result;
    };

    const parse = (text, separator, equals, options) => {
      const result = { __proto__: null };
      if (typeof text !== 'string' || text === '') return result;
      const sep = separator ? `${separator}` : '&';
      const eq = equals ? `${equals}` : '=';
      const limit = typeof options?.maxKeys === 'number' ? options.maxKeys : DEFAULT_MAX_KEYS;
      const custom = options?.decodeURIComponent;
      const decode = (part) => {
        if (typeof custom !== 'function') return querystring.unescape(replaceAll(part, '+', ' '));
        try {
          return custom(replaceAll(part, '+', '%20'));
        } catch {
          return querystring.unescape(replaceAll(part, '+', ' '));
        }
      };
      let pairs = 0;
      for (let start = 0; start <= text.length && (limit <= 0 || pairs < limit); pairs++) {
        let end = stringIndexOf(text, sep, start);
        if (end === -1) end = text.length;
        const part = stringSlice(text, start, end);
        start = end + sep.length;
        if (part === '') continue;
        const at = stringIndexOf(part, eq);
        const name = decode(at === -1 ? part : stringSlice(part, 0, at));
        const value = at === -1 ? '' : decode(stringSlice(part, at + eq.length));
        if (result[name] === undefined) result[name] = value;
        else if (isArray(result[name])) append(result[name], value);
        else result[name] = [result[name], value];
      }
      return result;
    };

    const querystring = { unescape, escape, stringify, encode: stringify, parse, decode: parse };
    return querystring;
  });
};
