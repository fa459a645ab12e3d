// Formats errors: a header, and the stack frames in the user's own code.
(internals) => {
  'use strict';

  const {
    arrayJoin, descriptorOf, isArray, list, peek, regexpExec, replaceAll, splitOn, stringEndsWith, stringIncludes,
    stringIndexOf, stringLastIndexOf, stringRepeat, stringSlice, stringStartsWith, toText,
  } = internals.primordials;
  const { isError } = internals.kinds;
  const { prefix } = internals.names;

  const FRAME = '    at ';

  /** Whether a stack line lies in a cell (its location starts with `cell`) or is `<anonymous>`. */
  const isOwnFrame = (line) => {
    if (!stringStartsWith(line, FRAME)) return false;
    let location = stringSlice(line, FRAME.length);
    if (stringEndsWith(location, ')')) {
      location = stringSlice(location, stringLastIndexOf(location, '(') + 1, -1);
    } else if (stringStartsWith(location, 'async ')) {
      location = stringSlice(location, 6);
    }
    return stringStartsWith(location, 'cell') || location === '<anonymous>';
  };

  /** Returns `Name: message` like `Error.prototype.toString`, without throwing. */
  const header = (error) => {
    const name = peek(error, 'name');
    const message = peek(error, 'message');
    const nameText = name === undefined ? 'Error' : toText(name);
    const messageText = message === undefined ? '' : toText(message);
    if (nameText === '' || messageText === '') return nameText + messageText;
    return `${nameText}: ${messageText}`;
  };

  /** Returns the header and the frames of a stack. Builds the header if the engine omits it. */
  const splitStack = (error) => {
    const value = peek(error, 'stack');
    const stack = value ? toText(value) : '';
    const frames = list();
    if (stack === '') return { __proto__: null, head: header(error), frames };
    let start = stringStartsWith(stack, FRAME) ? 0 : -1;
    let head = header(error);
    if (start === -1) {
      // A message may contain lines that look like frames.
      const message = peek(error, 'message');
      const at = typeof message === 'string' && message !== '' ? stringIndexOf(stack, message) : -1;
      start = stringIndexOf(stack, `\n${FRAME}`, at === -1 ? 0 : at + message.length);
      head = start === -1 ? stack : stringSlice(stack, 0, start);
      if (start === -1 && stringEndsWith(head, '\n')) head = stringSlice(head, 0, -1);
    }
    if (start !== -1) {
      const lines = splitOn(stringSlice(stack, start), '\n');
      for (let i = 0; i < lines.length; i++) if (isOwnFrame(lines[i])) frames[frames.length] = lines[i];
    }
    return { __proto__: null, head, frames };
  };

  const leadingName = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|$)/;
  const bareError = /^([a-z_A-Z0-9-]*Error)$/;

  // Inserts the class of the error into a header that names only its base class.
  const improveHeader = (head, constructor, name, tag) => {
    let { length } = name;
    const regular = stringEndsWith(name, 'Error') && stringStartsWith(head, name)
      && (head.length === length || head[length] === ':' || head[length] === '\n');
    if (constructor !== null && !regular) return head;
    let fallback = 'Error';
    if (constructor === null) {
      const match = regexpExec(leadingName, head) ?? regexpExec(bareError, head);
      fallback = match === null ? '' : match[1];
      ({ length } = fallback);
      fallback ||= 'Error';
    }
    const title = stringSlice(prefix(constructor, tag, fallback), 0, -1);
    if (name === title) return head;
    if (!stringIncludes(title, name)) return `${title} [${name}]${stringSlice(head, length)}`;
    return length === 0 ? `${title}: ${head}` : title + stringSlice(head, length);
  };

  // Drops the frames that a cause repeats, as its own text shows them.
  const withoutRepeats = (frames, cause) => {
    if (!isError(cause)) return frames;
    const other = splitStack(cause).frames;
    for (let i = 0; i < frames.length - 3; i++) {
      let at = 0;
      while (at < other.length && other[at] !== frames[i]) at++;
      let length = 0;
      while (i + length < frames.length && at + length < other.length && frames[i + length] === other[at + length]) {
        length++;
      }
      if (length <= 3) continue;
      const result = list();
      for (let j = 0; j <= i; j++) result[j] = frames[j];
      result[i + 1] = `    ... ${length - 2} lines matching cause stack trace ...`;
      for (let j = i + length - 1; j < frames.length; j++) result[result.length] = frames[j];
      return result;
    }
    return frames;
  };

  const contains = (keys, key) => {
    for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true;
    return false;
  };

  /**
   * Returns the text of an error without its properties, and the keys of the properties to show after it: own ones that
   * the text does not contain yet, as well as `cause` and `errors`, which are not enumerable.
   */
  const formatError = (ctx, error, constructor, tag, ownKeys) => {
    const rawName = peek(error, 'name');
    const name = rawName === undefined || rawName === null ? 'Error' : toText(rawName);
    const { head, frames } = splitStack(error);
    const stack = `${head}\n${arrayJoin(frames, '\n')}`;
    const keys = list();
    for (let i = 0; i < ownKeys.length; i++) {
      const key = ownKeys[i];
      const shown = !ctx.showHidden && (key === 'name' || key === 'message' || key === 'stack')
        && (key === 'stack' || stringIncludes(stack, toText(peek(error, key))));
      if (!shown) keys[keys.length] = key;
    }
    if ('cause' in error && !contains(keys, 'cause')) keys[keys.length] = 'cause';
    if (isArray(descriptorOf(error, 'errors')?.value) && !contains(keys, 'errors')) keys[keys.length] = 'errors';
    let text = improveHeader(head, constructor, name, tag);
    if (frames.length === 0) {
      text = `[${text}]`;
    } else {
      text += `\n${arrayJoin(withoutRepeats(frames, peek(error, 'cause')), '\n')}`;
    }
    ctx.budget.left -= text.length;
    return {
      __proto__: null, keys,
      text: ctx.indentation === 0 ? text : replaceAll(text, '\n', `\n${stringRepeat(' ', ctx.indentation)}`),
    };
  };

  internals.errors = { __proto__: null, formatError, header, isOwnFrame, splitStack };
};
