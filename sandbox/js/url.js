// URL (https://url.spec.whatwg.org/#url-class); the host parses, and this class keeps parts and parameters in sync.
(internals) => {
  'use strict';

  const {
    TypeError, customInspect, define, jsonParse, setPrototypeOf, stringToWellFormed, toText, uncurry,
  } = internals.primordials;
  const { asInterface, coded, missing } = internals.exceptions;
  const { inspect, parseUrl, setUrlPart } = internals;
  const { attach, reset } = internals.searchParams;
  const { URLSearchParams } = internals.globals;

  const toUsv = (value) => stringToWellFormed(`${value}`);
  const partsOf = (json) => (json === null || json === undefined ? null : setPrototypeOf(jsonParse(json), null));
  const parse = (input, base) =>
    partsOf(base === undefined ? parseUrl(toUsv(input)) : parseUrl(toUsv(input), toUsv(base)));

  const invalid = (input, base) => {
    const error = coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    define(error, 'input', input, true);
    if (base !== undefined) define(error, 'base', base, true);
    return error;
  };

  class URL {
    #parts;
    #params;
    #stale = false; // whether the parameters changed after the parts

    constructor(input, base = undefined) {
      if (arguments.length === 0) throw missing('url');
      const text = `${input}`;
      const baseText = base === undefined ? undefined : `${base}`;
      this.#parts = parse(text, baseText);
      if (this.#parts === null) throw invalid(text, baseText);
    }

    static canParse(input, base = undefined) {
      if (arguments.length === 0) throw missing('url');
      return parse(input, base) !== null;
    }

    static parse(input, base = undefined) {
      if (arguments.length === 0) throw missing('url');
      return parse(input, base) === null ? null : new URL(input, base);
    }

    /** Returns the address of a URL object, or undefined for anything else. */
    static hrefOf(object) {
      return #parts in object ? object.#current().href : undefined;
    }

    #current() {
      if (this.#stale) {
        this.#stale = false;
        this.#parts = partsOf(setUrlPart(this.#parts.href, 'search', toString(this.#params))) ?? this.#parts;
      }
      return this.#parts;
    }

    #set(part, value) {
      const parts = partsOf(setUrlPart(this.#current().href, part, toUsv(value)));
      if (parts === null) return;
      this.#parts = parts;
      if (part === 'search' && this.#params !== undefined) reset(this.#params, parts.search);
    }

    get href() {
      return this.#current().href;
    }

    set href(value) {
      const text = `${value}`;
      const parts = parse(text);
      if (parts === null) throw invalid(text);
      this.#parts = parts;
      this.#stale = false;
      if (this.#params !== undefined) reset(this.#params, parts.search);
    }

    get origin() {
      return this.#current().origin;
    }

    get protocol() {
      return this.#current().protocol;
    }

    set protocol(value) {
      this.#set('protocol', value);
    }

    get username() {
      return this.#current().username;
    }

    set username(value) {
      this.#set('username', value);
    }

    get password() {
      return this.#current().password;
    }

    set password(value) {
      this.#set('password', value);
    }

    get host() {
      return this.#current().host;
    }

    set host(value) {
      this.#set('host', value);
    }

    get hostname() {
      return this.#current().hostname;
    }

    set hostname(value) {
      this.#set('hostname', value);
    }

    get port() {
      return this.#current().port;
    }

    set port(value) {
      this.#set('port', value);
    }

    get pathname() {
      return this.#current().pathname;
    }

    set pathname(value) {
      this.#set('pathname', value);
    }

    get search() {
      return this.#current().search;
    }

    set search(value) {
      this.#set('search', value);
    }

    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#parts.search);
        attach(this.#params, () => {
          this.#stale = true;
        });
      }
      return this.#params;
    }

    get hash() {
      return this.#current().hash;
    }

    set hash(value) {
      this.#set('hash', value);
    }

    toString() {
      return this.#current().href;
    }

    toJSON() {
      return this.#current().href;
    }
  }
  const { hrefOf } = URL;
  delete URL.hrefOf;
  const toString = uncurry(URLSearchParams.prototype.toString);

  asInterface(URL, 'URL');
  const shown = [
    'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
    'searchParams', 'hash',
  ];
  define(URL.prototype, customInspect, function inspectUrl(depth, options) {
    if (depth < 0) return this;
    const object = {};
    for (let i = 0; i < shown.length; i++) define(object, shown[i], this[shown[i]], true);
    return `${toText(this.constructor?.name)} ${inspect(object, options)}`;
  });

  internals.globals.URL = URL;
  internals.hrefOf = hrefOf;
};
