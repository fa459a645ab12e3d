// The `punycode` module: converts host names to ASCII and back (RFC 3492).
(internals) => {
  'use strict';

  const {
    RangeError, append, arrayJoin, fromCharCode, fromCodePoint, list, regexpExec, stringCharCodeAt, stringCodePointAt,
    stringLastIndexOf, stringSlice, stringStartsWith, stringToLowerCase,
  } = internals.primordials;

  // Parameters from RFC 3492, section 5.
  const BASE = 36;
  const T_MIN = 1;
  const T_MAX = 26;
  const SKEW = 38;
  const DAMP = 700;
  const BIAS = 72;
  const FIRST = 128;
  const MOST = 0x7fffffff;

  const fault = (what) => new RangeError(what);
  const OVERFLOW = 'Overflow: input needs wider integers to process';
  const digitText = (digit) => fromCharCode(digit < 26 ? digit + 97 : digit + 22);
  const digitOf = (unit) => {
    if (unit >= 48 && unit < 58) return unit - 22;
    const letter = unit | 32;
    return letter >= 97 && letter < 123 ? letter - 97 : BASE;
  };
  const threshold = (k, bias) => (k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias);
  const floor = (number) => number - number % 1;

  const adapted = (delta, count, isFirst) => {
    let rest = isFirst ? floor(delta / DAMP) : delta >> 1;
    rest += floor(rest / count);
    let k = 0;
    for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = floor(rest / (BASE - T_MIN));
    return floor(k + (BASE - T_MIN + 1) * rest / (rest + SKEW));
  };

  const codePoints = (text) => {
    const points = [];
    for (let i = 0; i < text.length;) {
      const point = stringCodePointAt(text, i);
      append(points, point);
      i += point > 0xffff ? 2 : 1;
    }
    return points;
  };
  const textOf = (points) => {
    const parts = list();
    for (let i = 0; i < points.length; i++) parts[i] = fromCodePoint(points[i]);
    return arrayJoin(parts, '');
  };

  const decode = (input) => {
    const basic = stringLastIndexOf(input, '-');
    const points = list();
    for (let i = 0; i < basic; i++) {
      const unit = stringCharCodeAt(input, i);
      if (unit >= FIRST) throw fault('Illegal input >= 0x80 (not a basic code point)');
      points[i] = unit;
    }
    let point = FIRST, at = 0, bias = BIAS;
    for (let i = basic > 0 ? basic + 1 : 0; i < input.length;) {
      const before = at;
      for (let weight = 1, k = BASE; ; k += BASE) {
        if (i >= input.length) throw fault('Invalid input');
        const digit = digitOf(stringCharCodeAt(input, i++));
        if (digit >= BASE) throw fault('Invalid input');
        if (digit > floor((MOST - at) / weight)) throw fault(OVERFLOW);
        at += digit * weight;
        const t = threshold(k, bias);
        if (digit < t) break;
        if (weight > floor(MOST / (BASE - t))) throw fault(OVERFLOW);
        weight *= BASE - t;
      }
      const count = points.length + 1;
      bias = adapted(at - before, count, before === 0);
      if (floor(at / count) > MOST - point) throw fault(OVERFLOW);
      point += floor(at / count);
      at %= count;
      for (let j = points.length; j > at; j--) points[j] = points[j - 1];
      points[at++] = point;
    }
    return textOf(points);
  };

  const encode = (input) => {
    const points = codePoints(input);
    const output = list();
    for (let i = 0; i < points.length; i++) if (points[i] < FIRST) output[output.length] = fromCharCode(points[i]);
    const basic = output.length;
    let handled = basic;
    if (basic > 0) output[basic] = '-';
    let point = FIRST, delta = 0, bias = BIAS;
    while (handled < points.length) {
      let next = MOST;
      for (let i = 0; i < points.length; i++) if (points[i] >= point && points[i] < next) next = points[i];
      if (next - point > floor((MOST - delta) / (handled + 1))) throw fault(OVERFLOW);
      delta += (next - point) * (handled + 1);
      point = next;
      for (let i = 0; i < points.length; i++) {
        if (points[i] < point) delta++;
        if (points[i] !== point) continue;
        let rest = delta;
        for (let k = BASE; ; k += BASE) {
          const t = threshold(k, bias);
          if (rest < t) break;
          output[output.length] = digitText(t + (rest - t) % (BASE - t));
          rest = floor((rest - t) / (BASE - t));
        }
        output[output.length] = digitText(rest);
        bias = adapted(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
      delta++;
      point++;
    }
    return arrayJoin(output, '');
  };

  const DOTS = /[\x2e\u3002\uff0e\uff61]/;
  /** Applies `change` to each label of a host name, or of an email address after its `@`. */
  const mapLabels = (domain, change) => {
    const at = stringLastIndexOf(domain, '@') + 1;
    const labels = list();
    let rest = stringSlice(domain, at);
    for (;;) {
      const match = regexpExec(DOTS, rest);
      labels[labels.length] = change(match === null ? rest : stringSlice(rest, 0, match.index));
      if (match === null) break;
      rest = stringSlice(rest, match.index + 1);
    }
    return stringSlice(domain, 0, at) + arrayJoin(labels, '.');
  };

  internals.defineModule('punycode', () => ({
    version: '2.1.0',
    ucs2: { decode: (text) => codePoints(`${text}`), encode: (points) => textOf([...points]) },
    decode: (input) => decode(`${input}`),
    encode: (input) => encode(`${input}`),
    toASCII: (input) => mapLabels(`${input}`, (label) => (regexpExec(/[^\0-\x7f]/, label) === null ? label : `xn--${encode(label)}`)),
    toUnicode: (input) => mapLabels(`${input}`, (label) => (stringStartsWith(label, 'xn--')
      ? decode(stringToLowerCase(stringSlice(label, 4))) : label)),
  }));
};
