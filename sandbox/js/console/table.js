// Draws console.table: selects the rows and columns of a value and draws a box around them.
(internals) => {
  'use strict';

  const {
    Set, TypeError, arrayJoin, create, hasOwn, isArray, keys, list, mapEntries, mapIteratorNext, mapSize, max, setAdd,
    setHas, setIteratorNext, setSize, setValues, stringRepeat, toText,
  } = internals.primordials;
  const { inspectWithin } = internals;
  const { kindOf } = internals.kinds;
  const { textWidth } = internals.strings;
  const { previewIterator } = internals.collections;

  const INDEX = '(index)';
  const ITERATION = '(iteration index)';
  const KEY = 'Key';
  const VALUES = 'Values';

  const rowText = (cells, widths) => {
    const padded = list();
    for (let i = 0; i < widths.length; i++) {
      const cell = cells[i] ?? '';
      padded[i] = cell + stringRepeat(' ', widths[i] - textWidth(cell));
    }
    return `│ ${arrayJoin(padded, ' │ ')} │`;
  };

  /** Draws the box with its header. `rows` are lists of cells; a missing cell is empty. */
  const draw = (header, rows) => {
    const widths = list();
    for (let i = 0; i < header.length; i++) {
      widths[i] = textWidth(header[i]);
      for (let j = 0; j < rows.length; j++) widths[i] = max(widths[i], textWidth(rows[j][i] ?? ''));
    }
    const rules = list();
    for (let i = 0; i < widths.length; i++) rules[i] = stringRepeat('─', widths[i] + 2);
    const lines = list();
    lines[0] = `┌${arrayJoin(rules, '┬')}┐`;
    lines[1] = rowText(header, widths);
    lines[2] = `├${arrayJoin(rules, '┼')}┤`;
    for (let i = 0; i < rows.length; i++) lines[lines.length] = rowText(rows[i], widths);
    lines[lines.length] = `└${arrayJoin(rules, '┴')}┘`;
    return arrayJoin(lines, '\n');
  };

  const cellText = (value, budget) => {
    const isObject = value !== null && typeof value === 'object';
    const wide = isObject && !isArray(value) && kindOf(value) !== 'TypedArray' && keys(value).length > 2;
    const options = { __proto__: null, depth: wide ? -1 : 0, maxArrayLength: 3, breakLength: Infinity };
    return inspectWithin(value, options, budget);
  };

  const pairHeader = [ITERATION, KEY, VALUES];
  const valueHeader = [ITERATION, VALUES];

  // `next` returns the cells of one entry, or undefined at the end.
  const entryTable = (header, next, size, budget) => {
    const rows = list();
    while (budget.left > 0) {
      const entry = next();
      if (entry === undefined) break;
      const row = list();
      row[0] = `${rows.length}`;
      for (let i = 0; i < entry.length; i++) row[i + 1] = cellText(entry[i], budget);
      rows[rows.length] = row;
    }
    return draw(header, rows) + missingNote(size - rows.length);
  };
  const missingNote = (count) => (count > 0 ? `\n... ${count} more row${count > 1 ? 's' : ''}` : '');

  const mapTable = (map, budget) => {
    const iterator = mapEntries(map);
    return entryTable(pairHeader, () => mapIteratorNext(iterator).value, mapSize(map), budget);
  };
  const setTable = (set, budget) => {
    const iterator = setValues(set);
    const next = () => {
      const step = setIteratorNext(iterator);
      return step.done ? undefined : [step.value];
    };
    return entryTable(valueHeader, next, setSize(set), budget);
  };
  const previewTable = (preview, budget) => {
    const entries = preview[0];
    const width = preview[1] ? 2 : 1;
    let at = 0;
    const next = () => {
      if (at >= entries.length) return undefined;
      at += width;
      return width === 2 ? [entries[at - 2], entries[at - 1]] : [entries[at - 1]];
    };
    return entryTable(width === 2 ? pairHeader : valueHeader, next, entries.length / width, budget);
  };

  /** Returns the requested column names as strings, or undefined. */
  const chosenColumns = (properties) => {
    if (properties === undefined) return undefined;
    if (!isArray(properties)) {
      const error = new TypeError('The "properties" argument must be an instance of Array.');
      error.code = 'ERR_INVALID_ARG_TYPE';
      throw error;
    }
    const names = list();
    for (let i = 0; i < properties.length; i++) names[i] = toText(properties[i]);
    return names;
  };

  const objectTable = (data, columns, budget) => {
    const names = keys(data);
    const header = list();
    const known = new Set();
    const cells = list(); // per row: its cells by column name, and its primitive value under ''
    let hasPrimitives = false;
    for (let i = 0; i < names.length && budget.left > 0; i++) {
      const item = data[names[i]];
      const row = { __proto__: null, byName: create(null), primitive: '' };
      const primitive = item === null || (typeof item !== 'object' && typeof item !== 'function');
      if (primitive && columns === undefined) {
        hasPrimitives = true;
        row.primitive = cellText(item, budget);
      } else {
        const wanted = columns ?? keys(item);
        for (let j = 0; j < wanted.length && budget.left > 0; j++) {
          const name = wanted[j];
          if (!setHas(known, name)) {
            setAdd(known, name);
            header[header.length] = name;
          }
          if (!primitive && hasOwn(item, name)) row.byName[name] = cellText(item[name], budget);
        }
      }
      cells[i] = row;
    }
    const sorted = indicesFirst(header);
    const rows = list();
    for (let i = 0; i < cells.length; i++) {
      const row = list();
      row[0] = names[i];
      for (let j = 0; j < sorted.length; j++) row[j + 1] = cells[i].byName[sorted[j]] ?? '';
      if (hasPrimitives) row[sorted.length + 1] = cells[i].primitive;
      rows[i] = row;
    }
    const titles = list();
    titles[0] = INDEX;
    for (let i = 0; i < sorted.length; i++) titles[i + 1] = sorted[i];
    if (hasPrimitives) titles[titles.length] = VALUES;
    return draw(titles, rows) + missingNote(names.length - cells.length);
  };
  // Orders names as an object would list them: array indices first, ascending.
  const indicesFirst = (names) => {
    const object = create(null);
    for (let i = 0; i < names.length; i++) object[names[i]] = true;
    return keys(object);
  };

  /**
   * Returns the table of an object, array, Map, Set or iterator; `properties` selects columns. Because it reads user
   * values, it throws whatever a getter throws; the caller handles that.
   */
  const tableText = (data, properties, budget) => {
    const columns = chosenColumns(properties);
    switch (kindOf(data)) {
      case 'Map': return mapTable(data, budget);
      case 'Set': return setTable(data, budget);
      case 'Map Iterator':
      case 'Set Iterator': {
        const preview = previewIterator(data);
        if (preview !== undefined) return previewTable(preview, budget);
        break;
      }
      default:
    }
    return objectTable(data, columns, budget);
  };

  internals.tableText = tableText;
};
