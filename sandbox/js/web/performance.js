// performance: the clock of the session, with marks and measures.
(internals) => {
  'use strict';

  const { append, list } = internals.primordials;
  const { DOMException, missing, wrongType } = internals.exceptions;

  class PerformanceEntry {
    constructor(name, entryType, startTime, duration, detail) {
      this.name = name;
      this.entryType = entryType;
      this.startTime = startTime;
      this.duration = duration;
      this.detail = detail;
    }
    toJSON() {
      const { name, entryType, startTime, duration, detail } = this;
      return { name, entryType, startTime, duration, detail };
    }
  }
  class PerformanceMark extends PerformanceEntry {}
  class PerformanceMeasure extends PerformanceEntry {}

  let entries = list();
  const chosen = (fits) => {
    const result = [];
    for (let i = 0; i < entries.length; i++) if (fits(entries[i])) append(result, entries[i]);
    return result;
  };
  const drop = (leaves) => {
    const kept = list();
    for (let i = 0; i < entries.length; i++) if (!leaves(entries[i])) kept[kept.length] = entries[i];
    entries = kept;
  };
  const add = (entry) => {
    entries[entries.length] = entry;
    return entry;
  };
  /** Returns the time of the newest mark with a name; a number is already a time. */
  const timeOf = (mark) => {
    if (typeof mark === 'number') return mark;
    for (let i = entries.length - 1; i >= 0; i--) {
      if (entries[i].entryType === 'mark' && entries[i].name === `${mark}`) return entries[i].startTime;
    }
    throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError');
  };

  const performance = {
    now: internals.now,
    get timeOrigin() {
      return internals.timeOrigin();
    },
    mark(name, options = {}) {
      if (arguments.length === 0) throw missing('name');
      return add(new PerformanceMark(`${name}`, 'mark', options?.startTime ?? internals.now(), 0, options?.detail ?? null));
    },
    measure(name, from, to) {
      if (typeof name !== 'string') throw wrongType('name', 'of type string', name);
      const isOptions = typeof from === 'object' && from !== null;
      const options = isOptions ? from : { start: from, end: to };
      const length = options.duration;
      const end = options.end !== undefined ? timeOf(options.end)
        : length !== undefined && options.start !== undefined ? timeOf(options.start) + length : internals.now();
      const start = options.start !== undefined ? timeOf(options.start) : length !== undefined ? end - length : 0;
      return add(new PerformanceMeasure(name, 'measure', start, end - start, options.detail ?? null));
    },
    getEntries: () => chosen(() => true),
    getEntriesByName: (name, type) => chosen((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type)),
    getEntriesByType: (type) => chosen((entry) => entry.entryType === type),
    clearMarks: (name) => drop((entry) => entry.entryType === 'mark' && (name === undefined || entry.name === `${name}`)),
    clearMeasures: (name) => drop((entry) => entry.entryType === 'measure' && (name === undefined || entry.name === `${name}`)),
    toJSON: () => ({ timeOrigin: internals.timeOrigin() }),
  };
  internals.performance = performance;
  internals.defineModule('perf_hooks', () => ({ performance }));
};
