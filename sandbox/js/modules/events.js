// The `events` module: EventEmitter.
(internals) => {
  'use strict';

  const {
    Error, Promise, Symbol, append, apply, asyncGeneratorFunctionPrototype, define, defineProperty, functionHasInstance,
    getPrototypeOf, isArray, keys, list, ownKeys, promiseResolve, setPrototypeOf,
  } = internals.primordials;
  const { coded, outOfRange, wrongType } = internals.exceptions;
  const { inspect } = internals;
  const { isError } = internals.kinds;
  const promiseReject = Promise.reject.bind(Promise);
  // Its `Symbol.asyncIterator` returns the iterator itself.
  const asyncIteratorPrototype = getPrototypeOf(asyncGeneratorFunctionPrototype.prototype);

  internals.defineModule('events', () => {
    const capture = Symbol('kCapture');
    const shapeMode = Symbol('shapeMode');
    const errorMonitor = Symbol('events.errorMonitor');
    let defaultMaxListeners = 10;

    const checkListener = (listener) => {
      if (typeof listener !== 'function') throw wrongType('listener', 'of type function', listener);
    };
    const checkLimit = (limit, name) => {
      if (typeof limit !== 'number') throw wrongType(name, 'of type number', limit);
      if (!(limit >= 0)) throw outOfRange(name, '>= 0', limit);
    };
    const copy = (source) => {
      const result = [];
      for (let i = 0; i < source.length; i++) append(result, source[i]);
      return result;
    };
    const matches = (entry, listener) => entry === listener || entry.listener === listener;

    function EventEmitter(options) {
      init(this, options);
    }
    const init = (emitter, options) => {
      if (emitter._events === undefined || emitter._events === getPrototypeOf(emitter)._events) {
        emitter._events = { __proto__: null };
        emitter._eventsCount = 0;
      }
      emitter._maxListeners = emitter._maxListeners || undefined;
      emitter[shapeMode] = false;
      emitter[capture] = Boolean(options?.captureRejections);
    };

    const { prototype } = EventEmitter;
    prototype._events = undefined;
    prototype._eventsCount = 0;
    prototype._maxListeners = undefined;

    // Returns the listeners of one type as a new array. As in Node.js, a single one is stored without an array.
    const listenersOf = (emitter, type) => {
      const entry = emitter._events?.[type];
      if (entry === undefined) return [];
      return typeof entry === 'function' ? [entry] : copy(entry);
    };
    const store = (emitter, type, listeners) => {
      const events = emitter._events;
      if (listeners.length === 0) {
        emitter._eventsCount--;
        if (emitter._eventsCount === 0) emitter._events = { __proto__: null };
        else delete events[type];
      } else {
        events[type] = listeners.length === 1 ? listeners[0] : listeners;
      }
    };

    const add = (emitter, type, listener, first) => {
      checkListener(listener);
      if (emitter._events === undefined) {
        emitter._events = { __proto__: null };
        emitter._eventsCount = 0;
      } else if (emitter._events.newListener !== undefined) {
        emitter.emit('newListener', type, listener.listener ?? listener);
      }
      const entry = emitter._events[type];
      if (!first && isArray(entry)) {
        append(entry, listener);
        return emitter;
      }
      const before = listenersOf(emitter, type);
      if (before.length === 0) emitter._eventsCount++;
      const after = first ? [listener] : copy(before);
      if (first) for (let i = 0; i < before.length; i++) append(after, before[i]);
      else append(after, listener);
      store(emitter, type, after);
      return emitter;
    };

    const wrapOnce = (emitter, type, listener) => {
      checkListener(listener);
      let fired = false;
      const wrapped = function wrapped(...args) {
        if (fired) return undefined;
        emitter.removeListener(type, wrapped);
        fired = true;
        return apply(listener, emitter, args);
      };
      wrapped.listener = listener;
      return wrapped;
    };

    const unhandled = (value) => {
      if (isError(value) || functionHasInstance(Error, value)) return value;
      const error = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${inspect(value)})`);
      define(error, 'context', value, true);
      return error;
    };

    const methods = {
      setMaxListeners(limit) {
        checkLimit(limit, 'setMaxListeners');
        this._maxListeners = limit;
        return this;
      },
      getMaxListeners() {
        return this._maxListeners === undefined ? defaultMaxListeners : this._maxListeners;
      },
      emit(type, ...args) {
        if (type === 'error') {
          if (this._events?.[errorMonitor] !== undefined) {
            const monitors = listenersOf(this, errorMonitor);
            for (let i = 0; i < monitors.length; i++) apply(monitors[i], this, args);
          }
          if (this._events?.error === undefined) throw unhandled(args.length > 0 ? args[0] : undefined);
        }
        const listeners = listenersOf(this, type);
        for (let i = 0; i < listeners.length; i++) apply(listeners[i], this, args);
        return listeners.length > 0;
      },
      addListener(type, listener) {
        return add(this, type, listener, false);
      },
      prependListener(type, listener) {
        return add(this, type, listener, true);
      },
      once(type, listener) {
        return this.on(type, wrapOnce(this, type, listener));
      },
      prependOnceListener(type, listener) {
        return this.prependListener(type, wrapOnce(this, type, listener));
      },
      removeListener(type, listener) {
        checkListener(listener);
        const before = listenersOf(this, type);
        let position = before.length - 1;
        while (position >= 0 && !matches(before[position], listener)) position--;
        if (position < 0) return this;
        const after = [];
        for (let i = 0; i < before.length; i++) if (i !== position) append(after, before[i]);
        store(this, type, after);
        if (this._events.removeListener !== undefined) {
          this.emit('removeListener', type, before[position].listener ?? listener);
        }
        return this;
      },
      removeAllListeners(type) {
        if (this._events === undefined) return this;
        if (arguments.length === 0) {
          if (this._events.removeListener !== undefined) {
            const types = ownKeys(this._events);
            for (let i = 0; i < types.length; i++) {
              if (types[i] !== 'removeListener') this.removeAllListeners(types[i]);
            }
          }
          this._events = { __proto__: null };
          this._eventsCount = 0;
          return this;
        }
        const before = listenersOf(this, type);
        if (this._events.removeListener === undefined) {
          if (before.length > 0) store(this, type, []);
          return this;
        }
        for (let i = before.length - 1; i >= 0; i--) this.removeListener(type, before[i]);
        return this;
      },
      listeners(type) {
        const result = listenersOf(this, type);
        for (let i = 0; i < result.length; i++) result[i] = result[i].listener ?? result[i];
        return result;
      },
      rawListeners(type) {
        return listenersOf(this, type);
      },
      listenerCount(type, listener) {
        const all = listenersOf(this, type);
        if (listener === undefined || listener === null) return all.length;
        let count = 0;
        for (let i = 0; i < all.length; i++) if (matches(all[i], listener)) count++;
        return count;
      },
      eventNames() {
        return this._eventsCount > 0 ? ownKeys(this._events) : [];
      },
    };
    const names = keys(methods);
    for (let i = 0; i < names.length; i++) prototype[names[i]] = methods[names[i]];
    prototype.on = prototype.addListener;
    prototype.off = prototype.removeListener;

    /** Adds a listener to an emitter or to an EventTarget. Returns a function that removes it. */
    const listen = (emitter, name, listener, isOnce) => {
      if (typeof emitter?.on === 'function') {
        emitter[isOnce ? 'once' : 'on'](name, listener);
        return () => emitter.removeListener?.(name, listener);
      }
      if (typeof emitter?.addEventListener === 'function') {
        emitter.addEventListener(name, listener, { __proto__: null, once: isOnce });
        return () => emitter.removeEventListener?.(name, listener);
      }
      throw wrongType('emitter', 'an instance of EventEmitter', emitter);
    };
    const callAll = (functions) => {
      for (let i = 0; i < functions.length; i++) functions[i]();
    };

    /** Returns a promise of the arguments of the next event; an `error` event of an emitter rejects it. */
    const once = async (emitter, name, options) => new Promise((resolve, reject) => {
      const ends = list();
      const fail = (error) => {
        callAll(ends);
        reject(error);
      };
      ends[0] = internals.watchSignal(options, fail);
      ends[1] = listen(emitter, name, (...args) => {
        callAll(ends);
        resolve(args);
      }, true);
      if (name !== 'error' && typeof emitter.once === 'function') ends[2] = listen(emitter, 'error', fail, true);
    });

    const settled = (value, done) => ({ value, done });
    /**
     * Returns an iterator of the arguments of each event. Events that nobody awaits yet are kept. An `error` event of
     * an emitter makes it throw, and those of the option `close` end it.
     */
    const on = (emitter, name, options) => {
      const events = list();
      const requests = list();
      const ends = list();
      let taken = 0;
      let served = 0;
      let failure;
      let finished = false;

      const close = () => {
        callAll(ends);
        finished = true;
        while (served < requests.length) requests[served++].resolve(settled(undefined, true));
        return promiseResolve(settled(undefined, true));
      };
      const fail = (error) => {
        if (served < requests.length) requests[served++].reject(error);
        else failure = { __proto__: null, error };
        close();
      };
      ends[0] = internals.watchSignal(options, fail);
      ends[1] = listen(emitter, name, (...args) => {
        if (served < requests.length) requests[served++].resolve(settled(args, false));
        else events[events.length] = args;
      }, false);
      if (name !== 'error' && typeof emitter.on === 'function') ends[2] = listen(emitter, 'error', fail, false);
      const closing = options?.close ?? [];
      for (let i = 0; i < closing.length; i++) ends[ends.length] = listen(emitter, closing[i], close, false);

      return setPrototypeOf({
        next() {
          if (taken < events.length) {
            const value = events[taken];
            events[taken++] = undefined;
            if (taken === events.length) taken = events.length = 0;
            return promiseResolve(settled(value, false));
          }
          if (failure !== undefined) {
            const { error } = failure;
            failure = undefined;
            return promiseReject(error);
          }
          if (finished) return close();
          if (served === requests.length) served = requests.length = 0;
          return new Promise((resolve, reject) => {
            requests[requests.length] = { __proto__: null, resolve, reject };
          });
        },
        return: close,
        throw(error) {
          if (!isError(error)) throw wrongType('EventEmitter.AsyncIterator', 'an instance of Error', error);
          fail(error);
        },
      }, asyncIteratorPrototype);
    };

    EventEmitter.on = on;
    EventEmitter.once = once;
    EventEmitter.EventEmitter = EventEmitter;
    EventEmitter.errorMonitor = errorMonitor;
    EventEmitter.getEventListeners = (emitter, type) => emitter.listeners(type);
    EventEmitter.getMaxListeners = (emitter) => emitter.getMaxListeners?.() ?? defaultMaxListeners;
    EventEmitter.setMaxListeners = (limit = defaultMaxListeners, ...emitters) => {
      checkLimit(limit, 'setMaxListeners');
      if (emitters.length === 0) defaultMaxListeners = limit;
      for (let i = 0; i < emitters.length; i++) emitters[i].setMaxListeners?.(limit);
    };
    EventEmitter.listenerCount = (emitter, type) => emitter.listenerCount(type);
    EventEmitter.init = function initialize(options) {
      init(this, options);
    };
    defineProperty(EventEmitter, 'defaultMaxListeners', {
      __proto__: null,
      enumerable: true,
      get: () => defaultMaxListeners,
      set(limit) {
        checkLimit(limit, 'defaultMaxListeners');
        defaultMaxListeners = limit;
      },
    });
    return EventEmitter;
  });
};
