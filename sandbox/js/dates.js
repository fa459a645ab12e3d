// Fixes QuickJS's `Date`: its setters ignore NaN instead of making the date invalid, and its texts name the zone `UTC`.
(internals) => {
  'use strict';

  const { apply, dateGetTime, dateToString, defineProperty, replaceAll, stringEndsWith, uncurry } = internals.primordials;
  const { getOwnPropertyDescriptor } = Object;
  const setTime = uncurry(Date.prototype.setTime);

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

  internals.mendDates = () => {
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
