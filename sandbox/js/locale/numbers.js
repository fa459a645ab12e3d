// Formats numbers in English, German, French and Japanese as ICU does, for an engine without locale data. Other requests throw.
(internals) => {
  'use strict';

  const {
    Error, RangeError, TypeError, arrayJoin, floor, is, isArray, keys, list, max, min, numberToString, regexpExec, splitOn,
    stringPadEnd, stringPadStart, stringRepeat, stringSlice, stringToLowerCase, stringToUpperCase, uncurry,
  } = internals.primordials;

  const bigintToText = uncurry(BigInt.prototype.toString);
  const tags = {
    __proto__: null, en: 'en-US', 'en-us': 'en-US', 'en-gb': 'en-GB', de: 'de', 'de-de': 'de-DE', fr: 'fr', 'fr-fr': 'fr-FR',
    ja: 'ja', 'ja-jp': 'ja-JP',
  };

  /** Creates the error for an unsupported request; `instead` names an alternative. */
  const refusal = (what, instead) => new Error(`${what} is not available here: this engine has no locale data for it; ${instead}`);

  /** Resolves a locale to `{ tag, language }`. */
  const localeOf = (locales, what) => {
    const first = isArray(locales) ? locales[0] : locales;
    if (first === undefined) return { __proto__: null, tag: 'en-US', language: 'en' };
    if (typeof first !== 'string' && (typeof first !== 'object' || first === null)) {
      throw new TypeError('Incorrect locale information provided');
    }
    const tag = tags[stringToLowerCase(`${first}`)];
    if (tag === undefined) {
      if (regexpExec(/^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i, `${first}`) === null) throw new RangeError('Incorrect locale information provided');
      throw refusal(`${what} for '${first}'`, 'en-US, en-GB, de-DE, fr-FR and ja-JP are there');
    }
    return { __proto__: null, tag, language: stringSlice(tag, 0, 2) };
  };

  const separators = {
    __proto__: null, en: [',', '.'], de: ['.', ','], fr: ['\u202f', ','], ja: [',', '.'],
  };
  const currencies = {
    __proto__: null,
    'en-US': { __proto__: null, USD: '$', EUR: '€', GBP: '£', JPY: '¥', CHF: 'CHF\u00a0', INR: '₹', CNY: 'CN¥' },
    'en-GB': { __proto__: null, USD: 'US$', EUR: '€', GBP: '£', JPY: 'JP¥', CHF: 'CHF\u00a0', INR: '₹', CNY: 'CN¥' },
    de: { __proto__: null, USD: '$', EUR: '€', GBP: '£', JPY: '¥', CHF: 'CHF', INR: '₹', CNY: 'CN¥' },
    fr: { __proto__: null, USD: '$US', EUR: '€', GBP: '£GB', JPY: 'JPY', CHF: 'CHF', INR: '₹', CNY: 'CNY' },
    ja: { __proto__: null, USD: '$', EUR: '€', GBP: '£', JPY: '￥', CHF: 'CHF\u00a0', INR: '₹', CNY: '元\u00a0' },
  };

  const known = {
    __proto__: null, style: 'decimal percent currency', currency: '', useGrouping: 'true false always auto', minimumIntegerDigits: '',
    minimumFractionDigits: '', maximumFractionDigits: '', minimumSignificantDigits: '', maximumSignificantDigits: '',
    signDisplay: 'auto always never exceptZero', notation: 'standard', localeMatcher: 'lookup best fit', numberingSystem: 'latn',
    currencyDisplay: 'symbol', currencySign: 'standard', roundingMode: 'halfExpand', roundingIncrement: '1',
  };
  // Other values that ECMA-402 knows. A value that is in neither table is an error in any engine.
  const elsewhere = {
    __proto__: null, style: 'unit', notation: 'scientific engineering compact', currencyDisplay: 'code narrowSymbol name',
    currencySign: 'accounting', signDisplay: 'negative',
    roundingMode: 'ceil floor expand trunc halfCeil halfFloor halfTrunc halfEven',
  };
  const isAmong = (value, names) => {
    const all = splitOn(names, ' ');
    for (let i = 0; i < all.length; i++) if (all[i] === value) return true;
    return value === names;
  };
  const INSTEAD = 'use `toFixed`, `toExponential` and templates';

  const digitsOption = (options, name, low, high) => {
    const value = options[name];
    if (value === undefined) return undefined;
    const number = +value;
    if (!(number >= low && number <= high)) throw new RangeError(`${name} value is out of range.`);
    return floor(number);
  };

  /** Validates and resolves the options of a format. */
  const settingsOf = (locales, options, what) => {
    const { tag, language } = localeOf(locales, what);
    if (options === null) throw new TypeError('Cannot convert undefined or null to object');
    const given = options === undefined ? { __proto__: null } : options;
    const picked = { __proto__: null };
    const names = keys(known);
    for (let i = 0; i < names.length; i++) {
      const value = given[names[i]];
      if (value === undefined) continue;
      picked[names[i]] = value;
      if (known[names[i]] === '' || isAmong(`${value}`, known[names[i]])) continue;
      if (elsewhere[names[i]] !== undefined && !isAmong(`${value}`, elsewhere[names[i]])) {
        throw new RangeError(`Value ${value} out of range for ${what} options property ${names[i]}`);
      }
      throw refusal(`${names[i]}: '${value}' of ${what}`, INSTEAD);
    }
    const unsupported = ['unit', 'unitDisplay', 'compactDisplay', 'roundingPriority', 'trailingZeroDisplay'];
    for (let i = 0; i < unsupported.length; i++) {
      if (given[unsupported[i]] !== undefined) throw refusal(`${unsupported[i]} of ${what}`, INSTEAD);
    }
    const style = picked.style ?? 'decimal';
    let symbol;
    let currency;
    let usual = style === 'percent' ? [0, 0] : [0, 3];
    if (style === 'currency') {
      if (picked.currency === undefined) throw new TypeError('Currency code is required with currency style.');
      currency = stringToUpperCase(`${picked.currency}`);
      symbol = (currencies[tag] ?? currencies[language])[currency];
      if (symbol === undefined) throw refusal(`the currency ${currency} of ${what}`, 'write its code yourself');
      usual = currency === 'JPY' ? [0, 0] : [2, 2];
    }
    const least = digitsOption(picked, 'minimumFractionDigits', 0, 100);
    const most = digitsOption(picked, 'maximumFractionDigits', 0, 100);
    const minFraction = least ?? min(usual[0], most ?? usual[0]);
    const maxFraction = most ?? max(usual[1], minFraction);
    const minSignificant = digitsOption(picked, 'minimumSignificantDigits', 1, 21);
    const maxSignificant = digitsOption(picked, 'maximumSignificantDigits', minSignificant ?? 1, 21);
    const isSignificant = minSignificant !== undefined || maxSignificant !== undefined;
    if (!isSignificant && minFraction > maxFraction) throw new RangeError('maximumFractionDigits value is out of range.');
    return {
      __proto__: null, tag, language, style, symbol, currency, minFraction, maxFraction, isSignificant,
      minSignificant: minSignificant ?? 1, maxSignificant: maxSignificant ?? 21,
      minInteger: digitsOption(picked, 'minimumIntegerDigits', 1, 21) ?? 1,
      isGrouped: picked.useGrouping === undefined ? true : picked.useGrouping !== false && picked.useGrouping !== 'false',
      sign: picked.signDisplay ?? 'auto',
    };
  };

  /** Returns the shortest digits that identify a finite number, as ICU does, and how many are before the point. */
  const decimalOf = (text) => {
    const split = splitOn(text, 'e');
    const parts = splitOn(split[0], '.');
    let digits = parts[0] + (parts[1] ?? '');
    let point = parts[0].length + (split[1] === undefined ? 0 : +split[1]);
    let zeros = 0;
    while (zeros < digits.length && digits[zeros] === '0') zeros++;
    digits = stringSlice(digits, zeros);
    point -= zeros;
    return { __proto__: null, digits, point: digits === '' ? 0 : point };
  };

  /** Rounds to a number of digits, with halves away from zero. */
  const rounded = ({ digits, point }, keep) => {
    if (keep >= digits.length) return { __proto__: null, digits, point };
    if (keep < 0) return { __proto__: null, digits: '', point: 0 };
    const up = digits[keep] >= '5';
    let kept = stringSlice(digits, 0, keep);
    if (up) {
      let at = keep - 1;
      while (at >= 0 && kept[at] === '9') at--;
      const zeros = stringRepeat('0', keep - 1 - at);
      if (at < 0) {
        kept = `1${zeros}`;
        point++;
      } else {
        kept = stringSlice(kept, 0, at) + (+kept[at] + 1) + zeros;
      }
    }
    return { __proto__: null, digits: kept, point };
  };

  const grouped = (whole, separator) => {
    const groups = list();
    const first = whole.length % 3;
    if (first > 0) groups[0] = stringSlice(whole, 0, first);
    for (let at = first; at < whole.length; at += 3) groups[groups.length] = stringSlice(whole, at, at + 3);
    return arrayJoin(groups, separator);
  };

  const magnitude = (text, settings) => {
    let number = decimalOf(text);
    if (settings.style === 'percent' && number.digits !== '') number.point += 2;
    const keep = settings.isSignificant ? settings.maxSignificant : number.point + settings.maxFraction;
    number = rounded(number, keep);
    const { digits, point } = number;
    let whole = point > 0 ? stringSlice(stringPadEnd(digits, point, '0'), 0, point) : '0';
    let fraction = point > 0 ? stringSlice(digits, point) : stringRepeat('0', digits === '' ? 0 : -point) + digits;
    let least = settings.minFraction;
    if (settings.isSignificant) {
      const isZero = regexpExec(/[1-9]/, digits) === null;
      least = settings.minSignificant - (isZero ? 1 : point > 0 ? whole.length : point);
    }
    let end = fraction.length;
    while (end > least && end > 0 && fraction[end - 1] === '0') end--;
    fraction = stringSlice(fraction, 0, end);
    if (least > 0) fraction = stringPadEnd(fraction, least, '0');
    whole = stringPadStart(whole, settings.minInteger, '0');
    const [group, decimal] = separators[settings.language];
    const shown = settings.isGrouped ? grouped(whole, group) : whole;
    return { __proto__: null, text: fraction === '' ? shown : `${shown}${decimal}${fraction}`, isZero: regexpExec(/[1-9]/, whole + fraction) === null };
  };

  /** Formats a number or BigInt with resolved settings. */
  const formatNumber = (value, settings) => {
    let isNegative;
    let body;
    if (typeof value === 'bigint') {
      isNegative = value < 0n;
      body = magnitude(bigintToText(isNegative ? -value : value), settings);
    } else {
      isNegative = value < 0 || is(value, -0);
      if (value !== value) body = { __proto__: null, text: 'NaN', isZero: true };
      else if (value === Infinity || value === -Infinity) body = { __proto__: null, text: '∞', isZero: false };
      else body = magnitude(numberToString(isNegative ? -value : value), settings);
    }
    let sign = isNegative ? '-' : '';
    if (settings.sign === 'never') sign = '';
    else if (settings.sign === 'always' && !isNegative) sign = '+';
    else if (settings.sign === 'exceptZero') sign = body.isZero ? '' : isNegative ? '-' : '+';
    const { language, style, symbol } = settings;
    const isAfter = language === 'de' || language === 'fr';
    if (style === 'percent') return `${sign}${body.text}${isAfter ? '\u00a0' : ''}%`;
    if (style !== 'currency') return sign + body.text;
    if (isAfter) return `${sign}${body.text}\u00a0${symbol}`;
    // The space after the symbol is only used before a digit.
    const isNumber = body.text !== '∞' && body.text !== 'NaN';
    return sign + (isNumber ? symbol : splitOn(symbol, '\u00a0')[0]) + body.text;
  };

  internals.locale = { __proto__: null, formatNumber, localeOf, refusal, settingsOf };
};
