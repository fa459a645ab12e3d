// Event, EventTarget, AbortController and AbortSignal.
(internals) => {
  'use strict';

  const {
    TypeError, WeakMap, apply, customInspect, defineProperty, isArray, isInteger, list, weakMapGet, weakMapSet,
  } = internals.primordials;
  const { AbortError, DOMException, asInterface, missing, outOfRange, wrongType } = internals.exceptions;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const inspectAs = (Interface, show) => defineProperty(Interface.prototype, customInspect, {
    __proto__: null,
    value(depth, options, inspect) {
      return depth < 0 ? `[${Interface.name}]` : `${Interface.name} ${inspect(show(this), options)}`;
    },
    writable: true,
    configurable: true,
  });

  const now = () => internals.now();
  /** Private operations of dispatching on an event. */
  let steer;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #canceled = false;
    #stopped = false;
    #passive = false;
    #target = null;
    #timeStamp = now();

    static {
      steer = {
        __proto__: null,
        begin: (event, target) => {
          if (event.#target !== null) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
          event.#target = target;
          event.#stopped = false;
        },
        isStopped: (event) => event.#stopped,
        setPassive: (event, passive) => {
          event.#passive = passive;
        },
        end: (event) => !event.#canceled,
        release: (event, target) => {
          event.#target = null;
          event.#last = target;
        },
      };
    }
    #last = null;

    constructor(type, options = {}) {
      if (arguments.length === 0) throw missing('type');
      if (!isObject(options)) throw wrongType('options', 'of type object', options);
      this.#type = `${type}`;
      this.#bubbles = Boolean(options.bubbles);
      this.#cancelable = Boolean(options.cancelable);
      this.#composed = Boolean(options.composed);
    }

    get type() { return this.#type; }
    get target() { return this.#target ?? this.#last; }
    get currentTarget() { return this.#target; }
    get srcElement() { return this.#target ?? this.#last; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#canceled; }
    get returnValue() { return !this.#canceled; }
    get eventPhase() { return this.#target === null ? 0 : 2; }
    get isTrusted() { return false; }
    get timeStamp() { return this.#timeStamp; }
    composedPath() { return this.#target === null ? [] : [this.#target]; }
    preventDefault() {
      if (this.#cancelable && !this.#passive) this.#canceled = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.#stopped = true;
    }
  }
  const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  for (let i = 0; i < phases.length; i++) {
    defineProperty(Event, phases[i], { __proto__: null, value: i, enumerable: true });
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
      if (arguments.length === 0) throw missing('type');
      super(type, options);
      this.#detail = options.detail ?? null;
    }
    get detail() { return this.#detail; }
  }

  // Listeners of targets, each a linked list whose first node is not a listener, as in Node.js: a dispatch calls the
  // listeners that are added during it, unless it has already reached the last one.
  const listeners = new WeakMap();
  const listenersOf = (target) => {
    const own = weakMapGet(listeners, target);
    if (own === undefined) throw new TypeError('Value of "this" must be of type EventTarget');
    return own;
  };
  const isCapture = (options) => (isObject(options) ? Boolean(options.capture) : Boolean(options));
  /** Returns the first listener of a type after a node. */
  const nextOf = (node, type) => {
    let found = node.next;
    while (found !== undefined && found.type !== type) found = found.next;
    return found;
  };
  const find = (root, type, callback, capture) => {
    let found = nextOf(root, type);
    while (found !== undefined && (found.callback !== callback || found.capture !== capture)) found = nextOf(found, type);
    return found;
  };
  const removeListener = (target, type, callback, capture) => {
    const root = listenersOf(target);
    const entry = find(root, type, callback, capture);
    if (entry === undefined) return;
    entry.previous.next = entry.next;
    if (entry.next === undefined) root.last = entry.previous;
    else entry.next.previous = entry.previous;
    // A dispatch may have reached it.
    entry.removed = true;
  };

  const dispatch = (target, event) => {
    steer.begin(event, target);
    const failures = list();
    let following = nextOf(listenersOf(target), event.type);
    while (following !== undefined && !steer.isStopped(event)) {
      const entry = following;
      following = nextOf(entry, event.type);
      if (entry.removed) continue;
      if (entry.once) removeListener(target, entry.type, entry.callback, entry.capture);
      steer.setPassive(event, entry.passive);
      try {
        if (typeof entry.callback === 'function') apply(entry.callback, target, [event]);
        else entry.callback.handleEvent(event);
      } catch (error) {
        failures[failures.length] = error;
      }
      steer.setPassive(event, false);
    }
    const passed = steer.end(event);
    steer.release(event, target);
    // Node.js would end its process; here the first error is thrown to the caller.
    if (failures.length > 0) throw failures[0];
    return passed;
  };

  class EventTarget {
    constructor() {
      const root = { __proto__: null, next: undefined };
      root.last = root;
      weakMapSet(listeners, this, root);
    }
    addEventListener(type, callback, options = {}) {
      if (arguments.length < 2) throw missing('type', 'listener');
      if (callback === null || callback === undefined) return;
      if (!isObject(callback)) throw wrongType('listener', 'an instance of EventListener', callback);
      const root = listenersOf(this);
      const capture = isCapture(options);
      const name = `${type}`;
      if (find(root, name, callback, capture) !== undefined) return;
      const set = isObject(options) ? options : {};
      const { signal } = set;
      if (signal !== undefined) {
        if (!isSignal(signal)) throw wrongType('options.signal', 'an instance of AbortSignal', signal);
        if (signal.aborted) return;
        onAbort(signal, () => removeListener(this, name, callback, capture));
      }
      const { last } = root;
      root.last = {
        __proto__: null, type: name, callback, capture, once: Boolean(set.once), passive: Boolean(set.passive),
        removed: false, previous: last, next: undefined,
      };
      last.next = root.last;
    }
    removeEventListener(type, callback, options = {}) {
      if (arguments.length < 2) throw missing('type', 'listener');
      removeListener(this, `${type}`, callback, isCapture(options));
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw wrongType('event', 'an instance of Event', event);
      return dispatch(this, event);
    }
  }

  // ---- abort

  const making = { __proto__: null };
  let abortSignal;
  let onAbort;
  let isSignal;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #steps = list();
    #handler = null;

    static {
      isSignal = (value) => isObject(value) && #aborted in value;
      onAbort = (signal, step) => {
        signal.#steps[signal.#steps.length] = step;
      };
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined
          ? new DOMException('This operation was aborted', 'AbortError') : reason;
        const steps = signal.#steps;
        signal.#steps = list();
        for (let i = 0; i < steps.length; i++) steps[i]();
        dispatch(signal, new Event('abort'));
      };
    }

    constructor(token) {
      if (token !== making) throw new TypeError('Illegal constructor');
      super();
    }

    static abort(reason) {
      const signal = new AbortSignal(making);
      abortSignal(signal, reason);
      return signal;
    }
    static any(signals) {
      const result = new AbortSignal(making);
      const all = isArray(signals) ? signals : [...signals];
      for (let i = 0; i < all.length; i++) {
        if (!isSignal(all[i])) throw wrongType(`signals[${i}]`, 'an instance of AbortSignal', all[i]);
        if (all[i].aborted) {
          abortSignal(result, all[i].reason);
          return result;
        }
      }
      for (let i = 0; i < all.length; i++) onAbort(all[i], () => abortSignal(result, all[i].reason));
      return result;
    }
    static timeout(delay) {
      if (typeof delay !== 'number') throw wrongType('delay', 'of type number', delay);
      if (!isInteger(delay)) throw outOfRange('delay', 'an integer', delay);
      if (!(delay >= 0 && delay < 2 ** 32)) throw outOfRange('delay', '>= 0 && <= 4294967295', delay);
      const signal = new AbortSignal(making);
      internals.after(delay, () => abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
      return signal;
    }

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    get onabort() { return this.#handler; }
    set onabort(handler) {
      if (this.#handler !== null) removeListener(this, 'abort', this.#handler, false);
      this.#handler = typeof handler === 'function' ? handler : null;
      if (this.#handler !== null) this.addEventListener('abort', this.#handler);
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
  }

  class AbortController {
    #signal = new AbortSignal(making);
    get signal() { return this.#signal; }
    abort(reason) {
      abortSignal(this.#signal, reason);
    }
  }

  internals.isSignal = isSignal;
  internals.onAbort = onAbort;
  /**
   * Watches the signal in the options of one of Node's functions, if there is one: calls `stop` with an AbortError when
   * it aborts, and throws that error if it already has. Returns a function that ends this.
   */
  internals.watchSignal = (options, stop) => {
    const signal = options?.signal;
    if (signal === undefined) return () => {};
    // As in Node.js, any object with this property is a signal.
    if (typeof signal !== 'object' || signal === null || !('aborted' in signal)) {
      throw wrongType('options.signal', 'an instance of AbortSignal', signal);
    }
    if (signal.aborted) throw new AbortError(signal.reason);
    const abort = () => stop(new AbortError(signal.reason));
    signal.addEventListener('abort', abort, { __proto__: null, once: true });
    return () => signal.removeEventListener('abort', abort);
  };
  inspectAs(AbortSignal, (signal) => ({ aborted: signal.aborted }));
  inspectAs(AbortController, (controller) => ({ signal: controller.signal }));
  inspectAs(EventTarget, () => ({}));
  inspectAs(Event, (event) => ({
    type: event.type, defaultPrevented: event.defaultPrevented, cancelable: event.cancelable, timeStamp: event.timeStamp,
  }));
  const interfaces = { __proto__: null, AbortController, AbortSignal, CustomEvent, Event, EventTarget };
  for (const name in interfaces) internals.globals[name] = asInterface(interfaces[name], name);
};
