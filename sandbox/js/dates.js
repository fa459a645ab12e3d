// Fixes QuickJS's `Date`: its setters ignore NaN instead of making the date invalid, its texts name the zone `UTC`, and
// it reads many texts differently than V8.
(internals) => {
  'use strict';

  const {
    TypeError, apply, dateGetTime, dateToString, defineProperty, isNaN, regexpExec, replaceAll, stringEndsWith,
    symbolToPrimitive, uncurry,
  } = internals.primordials;
  const { parseDate } = internals;
  const { getOwnPropertyDescriptor } = Object;
  const { parse } = Date;
  const setTime = uncurry(Date.prototype.setTime);
  const ordinaryToPrimitive = uncurry(Date.prototype[symbolToPrimitive]);

  const setters = [];
  const parts = ['Date', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'];
  for (let i = 0; i < parts.length; i++) {
    setters[i] = `set${parts[i]}`;
    setters[parts.length + i] = `setUTC${parts[i]}`;
  }

  /** Replaces a method of dates by one with the same name and length. */
  const replace = (name, wrap) => {
    const { value } = getOwnPropertyDescriptor(Date.prototype, name);
    const { [name]: method } = { [name](...args) { return wrap(this, value, args); } };
    defineProperty(method, 'length', { __proto__: null, value: value.length, configurable: true });
    defineProperty(Date.prototype, name, { __proto__: null, value: method });
  };

  // The usual texts, which both engines read alike, and QuickJS faster than this library.
  const usual =
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{3})?)?Z?)?$/;
  const timeOf = (text) => (regexpExec(usual, text) === null ? parseDate(text) : parse(text));

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isDate = (value) => {
    try {
      dateGetTime(value);
      return true;
    } catch {
      return false;
    }
  };
  const toPrimitive = (value) => {
    const convert = value[symbolToPrimitive];
    if (convert === undefined || convert === null) return ordinaryToPrimitive(value, 'number');
    const result = apply(convert, value, ['default']);
    if (isObject(result)) throw new TypeError('Cannot convert object to primitive value');
    return result;
  };

  const mendParsing = () => {
    const { parse: method } = { parse(text) { return timeOf(`${text}`); } };
    defineProperty(Date, 'parse', { __proto__: null, value: method });
    /** Converts the only argument of the constructor of dates: a text to its time. */
    internals.dateArgument = (value) => {
      const plain = isObject(value) && !isDate(value) ? toPrimitive(value) : value;
      return typeof plain === 'string' ? timeOf(plain) : plain;
    };
  };

  internals.mendDates = () => {
    if (isNaN(parse('2024-01-15\n'))) mendParsing();
    const date = new Date(0);
    date.setSeconds(NaN);
    if (dateGetTime(date) === 0) {
      for (let i = 0; i < setters.length; i++) {
        replace(setters[i], (date, set, args) => {
          const time = apply(set, date, args);
          if (time !== time) setTime(date, NaN);
          return time;
        });
      }
    }
    if (stringEndsWith(dateToString(new Date(0)), '(UTC)')) {
      const spelled = (date, write) => replaceAll(apply(write, date, []), '(UTC)', '(Coordinated Universal Time)');
      replace('toString', spelled);
      replace('toTimeString', spelled);
    }
  };
};
