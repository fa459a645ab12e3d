// `Date` with the clock of the session instead of the engine's.
(internals) => {
  'use strict';
  const now = internals.native.op_repl_date;
  const EngineDate = Date;
  const { construct, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { apply } = Reflect;
  const dateToString = EngineDate.prototype.toString;
  const Now = {
    Date: function Date(...given) {
      if (new.target === undefined) return apply(dateToString, new EngineDate(now()), []);
      if (given.length === 0) return construct(EngineDate, [now()], new.target);
      // Missing where the engine reads texts as it should.
      const { dateArgument } = internals;
      if (given.length === 1 && dateArgument !== undefined) {
        return construct(EngineDate, [dateArgument(given[0])], new.target);
      }
      return construct(EngineDate, given, new.target);
    },
    now() {
      return now();
    },
  };
  const names = ownKeys(EngineDate);
  for (let i = 0; i < names.length; i++) {
    const property = getOwnPropertyDescriptor(EngineDate, names[i]);
    property.__proto__ = null;
    defineProperty(Now.Date, names[i], property);
  }
  const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
  defineProperty(Now.Date, 'now', hidden(Now.now));
  defineProperty(globalThis, 'Date', hidden(Now.Date));
  /** Sets the constructor of dates again, because restoring a snapshot resets it to the engine's. */
  internals.ownDates = () => defineProperty(EngineDate.prototype, 'constructor', hidden(Now.Date));
};
