// The `url` module: URL, URLSearchParams and the legacy parse, format and resolve.
(internals) => {
  'use strict';

  const {
    TypeError, decodeURIComponent, encodeURIComponent, regexpExec, replaceAll, stringEndsWith, stringIncludes,
    stringIndexOf, stringLastIndexOf, stringSlice, stringStartsWith, stringToLowerCase,
    stringToWellFormed, stringTrim,
  } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;
  const { globals } = internals;
  const { URL, URLSearchParams } = globals;

  const scheme = /^[a-z0-9.+-]+:/i;
  const portEnd = /:([0-9]*)$/;
  const slashed = {
    __proto__: null, 'http:': 1, 'https:': 1, 'ftp:': 1, 'gopher:': 1, 'file:': 1, 'ws:': 1, 'wss:': 1,
  };
  // Characters that the legacy parser escapes.
  const escapes = [
    '\t', '%09', '\n', '%0A', '\r', '%0D', ' ', '%20', '"', '%22', "'", '%27', '<', '%3C', '>', '%3E', '\\', '%5C',
    '^', '%5E', '`', '%60', '{', '%7B', '|', '%7C', '}', '%7D',
  ];
  const escapeLoose = (text) => {
    let result = text;
    for (let i = 0; i < escapes.length; i += 2) result = replaceAll(result, escapes[i], escapes[i + 1]);
    return result;
  };
  const tolerantDecode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw coded(TypeError, 'ERR_INVALID_URL', 'URI malformed');
    }
  };

  class Url {
    protocol = null;
    slashes = null;
    auth = null;
    host = null;
    port = null;
    hostname = null;
    hash = null;
    search = null;
    query = null;
    pathname = null;
    path = null;
    href = null;
  }

  // Splits a text before a mark; the second part, from the mark on, may be ''.
  const cut = (text, mark) => {
    const at = stringIndexOf(text, mark);
    const end = at === -1 ? text.length : at;
    return { __proto__: null, head: stringSlice(text, 0, end), tail: stringSlice(text, end) };
  };

  // Sets auth, host, port and hostname, and returns the rest after the host.
  const takeHost = (url, text) => {
    let end = stringIndexOf(text, '/');
    if (end === -1) end = text.length;
    const rest = stringSlice(text, end);
    let host = stringSlice(text, 0, end);
    const at = stringLastIndexOf(host, '@');
    if (at !== -1) {
      url.auth = tolerantDecode(stringSlice(host, 0, at));
      host = stringSlice(host, at + 1);
    }
    const port = regexpExec(portEnd, host);
    if (port !== null) {
      if (port[1] !== '') url.port = port[1];
      host = stringSlice(host, 0, -port[0].length);
    }
    host = stringToLowerCase(host);
    url.host = host + (url.port === null ? '' : `:${url.port}`);
    url.hostname = host[0] === '[' && stringEndsWith(host, ']') ? stringSlice(host, 1, -1) : host;
    return rest;
  };

  const splitScheme = (url, text) => {
    const match = regexpExec(scheme, text);
    if (match === null) return text;
    url.protocol = stringToLowerCase(match[0]);
    return stringSlice(text, match[0].length);
  };

  const parse = (input, parseQuery, slashesDenoteHost) => {
    if (input instanceof Url) return input;
    if (typeof input !== 'string') throw wrongType('url', 'of type string', input);
    const url = new Url();
    const outer = cut(input, '?');
    let rest = splitScheme(url, stringTrim(replaceAll(outer.head, '\\', '/') + outer.tail));
    const atHash = cut(rest, '#');
    const atSearch = cut(atHash.head, '?');
    const script = url.protocol === 'javascript:';
    rest = atSearch.head;
    const hasHost = url.protocol !== null || slashesDenoteHost || stringIncludes(rest, '@');
    if (!script && hasHost && stringStartsWith(rest, '//')) {
      url.slashes = true;
      rest = stringSlice(rest, 2);
    }
    if (!script && (url.slashes || (url.protocol !== null && slashed[url.protocol] === undefined))) {
      rest = takeHost(url, rest);
    }
    if (!script) rest = escapeLoose(rest);
    if (atHash.tail !== '') url.hash = escapeLoose(atHash.tail);
    if (atSearch.tail !== '') {
      url.search = escapeLoose(atSearch.tail);
      url.query = stringSlice(url.search, 1);
    }
    if (parseQuery) url.query = internals.require('querystring').parse(url.query ?? '');
    if (rest !== '') url.pathname = rest;
    if (slashed[url.protocol] !== undefined && url.hostname && url.pathname === null) url.pathname = '/';
    if (url.pathname !== null || url.search !== null) url.path = (url.pathname ?? '') + (url.search ?? '');
    url.href = formatLegacy(url);
    return url;
  };

  const hostText = (parts) => {
    const auth = parts.auth ? `${replaceAll(encodeURIComponent(parts.auth), '%3A', ':')}@` : '';
    if (parts.host) return auth + parts.host;
    if (!parts.hostname) return '';
    const { hostname } = parts;
    const name = stringIncludes(hostname, ':') && hostname[0] !== '[' ? `[${hostname}]` : hostname;
    return `${auth}${name}${parts.port ? `:${parts.port}` : ''}`;
  };
  const withMark = (text, mark) => (text === '' || text[0] === mark ? text : mark + text);

  const formatLegacy = (parts) => {
    let protocol = parts.protocol || '';
    if (protocol !== '' && !stringEndsWith(protocol, ':')) protocol += ':';
    let pathname = replaceAll(replaceAll(parts.pathname || '', '#', '%23'), '?', '%3F');
    let host = hostText(parts);
    let query = '';
    if (typeof parts.query === 'object' && parts.query !== null) {
      query = internals.require('querystring').stringify(parts.query);
    }
    const search = replaceAll(parts.search || (query === '' ? '' : `?${query}`), '#', '%23');
    if (parts.slashes || slashed[protocol] !== undefined) {
      if (parts.slashes || host !== '') {
        pathname = withMark(pathname, '/');
        host = `//${host}`;
      } else if (protocol === 'file:') {
        host = '//';
      }
    }
    return protocol + host + pathname + withMark(search, '?') + withMark(parts.hash || '', '#');
  };

  const format = (value, options) => {
    if (typeof value === 'string') return formatLegacy(parse(value));
    if (typeof value !== 'object' || value === null) {
      throw wrongType('urlObject', 'one of type object or string', value);
    }
    if (internals.hrefOf(value) === undefined) return formatLegacy(value);
    const copy = new URL(internals.hrefOf(value));
    if (options?.fragment === false) copy.hash = '';
    if (options?.search === false) copy.search = '';
    if (options?.auth === false) {
      copy.username = '';
      copy.password = '';
    }
    return copy.href;
  };

  // A base without a scheme gets a temporary one.
  const PLACEHOLDER = 'resolve:';
  const resolve = (from, to) => {
    const resolved = new URL(to, new URL(from, `${PLACEHOLDER}//`));
    if (resolved.protocol !== PLACEHOLDER) return resolved.href;
    const tail = resolved.pathname + resolved.search + resolved.hash;
    if (resolved.host !== '') return `//${resolved.host}${tail}`;
    return stringStartsWith(from, '/') || stringStartsWith(to, '/') ? tail : stringSlice(tail, 1);
  };

  const domainToASCII = (domain) => {
    try {
      return new URL(`ws://${domain}`).hostname;
    } catch {
      return '';
    }
  };
  const domainToUnicode = (domain) => internals.require('punycode').toUnicode(domainToASCII(domain));

  const fileURLToPath = (given, options) => {
    const href = typeof given === 'object' && given !== null ? internals.hrefOf(given) : given;
    if (typeof href !== 'string') throw wrongType('path', 'of type string or an instance of URL', given);
    if (options?.windows) throw new TypeError('fileURLToPath(): the option "windows" is not available here');
    const url = new URL(href);
    if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (url.hostname !== '') {
      throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
    }
    if (regexpExec(/%2f/i, url.pathname) !== null) {
      throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
    }
    return decodeURIComponent(url.pathname);
  };

  // Characters that `encodeURIComponent` escapes and paths of file URLs contain, and one that it does not.
  const ofPaths = [
    '%24', '$', '%26', '&', '%2B', '+', '%2C', ',', '%2F', '/', '%3A', ':', '%3B', ';', '%3D', '=', '%40', '@', '~', '%7E',
  ];
  const pathToFileURL = (path, options) => {
    if (typeof path !== 'string') throw wrongType('path', 'of type string', path);
    if (options?.windows) throw new TypeError('pathToFileURL(): the option "windows" is not available here');
    let resolved = internals.require('path').resolve(path);
    if (stringEndsWith(path, '/') && resolved !== '/') resolved += '/';
    let text = encodeURIComponent(stringToWellFormed(resolved));
    for (let i = 0; i < ofPaths.length; i += 2) text = replaceAll(text, ofPaths[i], ofPaths[i + 1]);
    return new URL(`file://${text}`);
  };

  internals.defineModule('url', () => ({
    URL, URLSearchParams, Url, domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve,
  }));
};
