// Replaces `Intl` and the functions that take a locale, which return wrong results on an engine without locale data.
(internals) => {
  'use strict';

  const {
    Date, RangeError, bigintValueOf, dateGetTime, define, defineProperty, getOwnPropertyNames, isInteger, numberValueOf,
    regexpExec, stringNormalize, stringPadStart, stringToLowerCase, stringToUpperCase, toText, uncurry,
  } = internals.primordials;
  const { formatNumber, localeOf, refusal, settingsOf } = internals.locale;
  const { formatDate, settingsOf: dateSettingsOf } = internals.dates;
  const localeCompare = uncurry(String.prototype.localeCompare);
  const stringReplace = uncurry(RegExp.prototype[Symbol.replace]);

  const ownNumber = (value) => (typeof value === 'bigint' ? value : +value);
  const INSTEAD = 'use `<`, `toLowerCase()` or a comparison of your own';

  /** Returns a text without the accents and capitals that `sensitivity` ignores in a comparison. */
  const folded = (text, sensitivity) => {
    const parts = stringNormalize(text, 'NFD');
    if (regexpExec(/[^\u0000-\u024f\u0300-\u036f\u2000-\u206f]/, parts) !== null) {
      throw refusal(`sensitivity: '${sensitivity}' for letters that are not Latin`, INSTEAD);
    }
    return stringToLowerCase(sensitivity === 'base' ? stringReplace(/[\u0300-\u036f]/g, parts, '') : parts);
  };

  /** Pads the numbers in a text, so that they compare by value. */
  const padded = (text) => stringReplace(/\d+/g, text, (digits) => stringPadStart(digits, 30, '0'));

  const collation = (locales, options, what) => {
    const { tag } = localeOf(locales, what);
    const { sensitivity = 'variant', numeric = false, caseFirst = 'false', ignorePunctuation = false, usage = 'sort' } = options ?? {};
    if (sensitivity !== 'variant' && sensitivity !== 'base' && sensitivity !== 'accent') {
      throw refusal(`sensitivity: '${toText(sensitivity)}' of ${what}`, INSTEAD);
    }
    if (`${caseFirst}` !== 'false') throw refusal(`caseFirst of ${what}`, INSTEAD);
    if (ignorePunctuation) throw refusal(`ignorePunctuation of ${what}`, INSTEAD);
    if (usage !== 'sort') throw refusal(`usage: '${toText(usage)}' of ${what}`, INSTEAD);
    const compare = (a, b) => {
      let left = `${a}`;
      let right = `${b}`;
      if (sensitivity !== 'variant') {
        left = folded(left, sensitivity);
        right = folded(right, sensitivity);
      }
      return numeric ? localeCompare(padded(left), padded(right), 'en') : localeCompare(left, right, 'en');
    };
    return { __proto__: null, compare, resolved: { locale: tag, usage, sensitivity, ignorePunctuation, numeric: !!numeric, caseFirst: 'false' } };
  };

  class NumberFormat {
    #settings;

    constructor(locales = undefined, options = undefined) {
      this.#settings = settingsOf(locales, options, 'Intl.NumberFormat');
    }

    get format() {
      return (value) => formatNumber(ownNumber(value), this.#settings);
    }

    resolvedOptions() {
      const { tag, style, currency, minFraction, maxFraction } = this.#settings;
      return {
        locale: tag, numberingSystem: 'latn', style, ...(currency === undefined ? {} : { currency }),
        minimumFractionDigits: minFraction, maximumFractionDigits: maxFraction,
      };
    }
  }

  class DateTimeFormat {
    #settings;

    constructor(locales = undefined, options = undefined) {
      this.#settings = dateSettingsOf(locales, options, 'Intl.DateTimeFormat', 'any', 'date');
    }

    get format() {
      return (date) => formatDate(date === undefined ? new Date() : new Date(date), this.#settings);
    }

    resolvedOptions() {
      return { locale: this.#settings.tag, calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', ...this.#settings.fields };
    }
  }

  class Collator {
    #collation;

    constructor(locales = undefined, options = undefined) {
      this.#collation = collation(locales, options, 'Intl.Collator');
    }

    get compare() {
      return this.#collation.compare;
    }

    resolvedOptions() {
      return { ...this.#collation.resolved };
    }
  }

  class PluralRules {
    #locale;
    #isOrdinal;

    constructor(locales = undefined, options = undefined) {
      this.#locale = localeOf(locales, 'Intl.PluralRules');
      const type = options?.type ?? 'cardinal';
      this.#isOrdinal = type === 'ordinal';
      if (!this.#isOrdinal && type !== 'cardinal') throw new RangeError(`Value ${toText(type)} out of range for Intl.PluralRules options property type`);
    }

    /** https://www.unicode.org/cldr/charts/45/supplemental/language_plural_rules.html */
    select(value) {
      const number = +value;
      const size = number < 0 ? -number : number;
      const { language } = this.#locale;
      if (language === 'ja') return 'other';
      if (language === 'fr' && !this.#isOrdinal) {
        if (size < 2) return 'one';
        return size >= 1e6 && size % 1e6 === 0 && size !== Infinity ? 'many' : 'other';
      }
      if (!this.#isOrdinal) return size === 1 ? 'one' : 'other';
      if (language === 'fr') return size === 1 ? 'one' : 'other';
      if (language === 'de' || !isInteger(size)) return 'other';
      const last = size % 10;
      const teen = size % 100 > 10 && size % 100 < 14;
      if (teen || last === 0 || last > 3) return 'other';
      return last === 1 ? 'one' : last === 2 ? 'two' : 'few';
    }

    resolvedOptions() {
      return { locale: this.#locale.tag, type: this.#isOrdinal ? 'ordinal' : 'cardinal' };
    }
  }

  const absent = {
    __proto__: null,
    ListFormat: 'use `join`', RelativeTimeFormat: 'write the words yourself', Segmenter: 'use `split` or `[...text]`',
    DisplayNames: 'use a table of your own', DurationFormat: 'write the units yourself', Locale: 'use its tag, a string',
    getCanonicalLocales: 'use tags as they are', supportedValuesOf: 'use a list of your own',
  };
  const methods = {
    __proto__: null,
    NumberFormat: ['formatToParts', 'formatRange', 'formatRangeToParts'], DateTimeFormat: ['formatToParts', 'formatRange', 'formatRangeToParts'],
    PluralRules: ['selectRange'],
  };

  /** Installs the replacements, unless the engine's own results are correct. */
  internals.installLocale = (global) => {
    if (new global.Intl.NumberFormat('de-DE').format(1234.5) === '1.234,5') return;
    const intl = {};
    const kinds = { __proto__: null, Collator, DateTimeFormat, NumberFormat, PluralRules };
    for (const name in kinds) {
      const Kind = kinds[name];
      // As in Node.js, `new` is optional.
      const made = function make(locales, options) {
        return new Kind(locales, options);
      };
      define(made, 'name', name);
      defineProperty(made, 'prototype', { __proto__: null, value: Kind.prototype, writable: false });
      define(Kind.prototype, 'constructor', made);
      defineProperty(Kind.prototype, Symbol.toStringTag, { __proto__: null, value: `Intl.${name}`, configurable: true });
      define(made, 'supportedLocalesOf', (locales) => [localeOf(locales, `Intl.${name}`).tag]);
      for (let i = 0; methods[name] !== undefined && i < methods[name].length; i++) {
        const method = methods[name][i];
        define(Kind.prototype, method, () => { throw refusal(`Intl.${name}'s ${method}`, 'use `format` or `select`'); });
      }
      define(intl, name, made);
    }
    for (const name in absent) {
      define(intl, name, { [name]: function refused() { throw refusal(`Intl.${name}`, absent[name]); } }[name]);
    }
    defineProperty(intl, Symbol.toStringTag, { __proto__: null, value: 'Intl', configurable: true });
    define(global, 'Intl', intl);

    const replace = (prototype, functions) => {
      const names = getOwnPropertyNames(functions);
      for (let i = 0; i < names.length; i++) define(prototype, names[i], functions[names[i]]);
    };
    const numberText = (value, locales, options) => formatNumber(value, settingsOf(locales, options, 'toLocaleString'));
    replace(Number.prototype, { toLocaleString(locales, options) { return numberText(numberValueOf(this), locales, options); } });
    replace(BigInt.prototype, { toLocaleString(locales, options) { return numberText(bigintValueOf(this), locales, options); } });
    const dateText = (date, locales, options, what, wanted, usual) => {
      dateGetTime(date);
      return formatDate(date, dateSettingsOf(locales, options, what, wanted, usual));
    };
    replace(Date.prototype, {
      toLocaleString(locales, options) { return dateText(this, locales, options, 'toLocaleString', 'any', 'all'); },
      toLocaleDateString(locales, options) { return dateText(this, locales, options, 'toLocaleDateString', 'date', 'date'); },
      toLocaleTimeString(locales, options) { return dateText(this, locales, options, 'toLocaleTimeString', 'time', 'time'); },
    });
    const checkCase = (locales) => {
      if (locales !== undefined) localeOf(locales, 'toLocaleLowerCase and toLocaleUpperCase');
    };
    replace(String.prototype, {
      localeCompare(other, locales, options) {
        if (locales === undefined && options === undefined) return localeCompare(this, `${other}`, 'en');
        return collation(locales, options, 'localeCompare').compare(`${this}`, other);
      },
      toLocaleLowerCase(locales) {
        checkCase(locales);
        return stringToLowerCase(this);
      },
      toLocaleUpperCase(locales) {
        checkCase(locales);
        return stringToUpperCase(this);
      },
    });
  };
};
