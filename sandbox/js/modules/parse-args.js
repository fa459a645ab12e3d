// `util.parseArgs` and `util.styleText`.
(internals) => {
  'use strict';

  const {
    TypeError, append, define, hasOwn, isArray, keys, stringIndexOf, stringSlice, stringStartsWith,
  } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;

  const unknown = (name, isStrict) => {
    const hint = isStrict ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${name}"` : '';
    return coded(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${name}'${hint}`);
  };
  const longOf = (options, short) => {
    const names = keys(options);
    for (let i = 0; i < names.length; i++) if (options[names[i]].short === short) return names[i];
    return short;
  };

  /** `args` defaults to an empty list, because a cell does not have command-line arguments. */
  const parseArgs = (config = {}) => {
    const { args = [], options = {}, strict = true, allowPositionals = !strict, tokens: wantsTokens = false, allowNegative = false } = config;
    if (!isArray(args)) throw wrongType('args', 'an instance of Array', args);
    const values = { __proto__: null };
    const positionals = [];
    const tokens = [];
    const store = (name, value) => {
      if (options[name]?.multiple) {
        if (!hasOwn(values, name)) define(values, name, [], true);
        append(values[name], value);
      } else {
        define(values, name, value, true);
      }
    };
    const take = (name, rawName, value, inlineValue, index) => {
      const isNegative = allowNegative && strict && stringStartsWith(rawName, '--no-') && !hasOwn(options, name)
        && options[stringSlice(name, 3)]?.type === 'boolean';
      const long = isNegative ? stringSlice(name, 3) : name;
      if (strict) {
        if (!hasOwn(options, long)) throw unknown(rawName, allowPositionals);
        const short = options[long].short === undefined ? '' : `-${options[long].short}, `;
        if (options[long].type === 'string' && value === undefined) {
          throw coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${short}--${long} <value>' argument missing`);
        }
        if (options[long].type === 'boolean' && value !== undefined) {
          throw coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${short}--${long}' does not take an argument`);
        }
      }
      append(tokens, { kind: 'option', name: long, rawName, index, value, inlineValue });
      if (long !== '__proto__') store(long, value ?? !isNegative);
    };
    for (let i = 0; i < args.length; i++) {
      const text = `${args[i]}`;
      const at = i;
      const next = () => (i + 1 < args.length && (!stringStartsWith(`${args[i + 1]}`, '-') || args[i + 1] === '-') ? `${args[++i]}` : undefined);
      const isString = (name) => options[name]?.type === 'string';
      if (text === '--') {
        append(tokens, { kind: 'option-terminator', index: at });
        for (i++; i < args.length; i++) {
          append(positionals, args[i]);
          append(tokens, { kind: 'positional', index: i, value: args[i] });
        }
      } else if (stringStartsWith(text, '--')) {
        const equals = stringIndexOf(text, '=');
        const raw = equals < 0 ? text : stringSlice(text, 0, equals);
        const name = stringSlice(raw, 2);
        if (equals >= 0) take(name, raw, stringSlice(text, equals + 1), true, at);
        else if (isString(name)) {
          const value = next();
          take(name, raw, value, value === undefined ? undefined : false, at);
        } else take(name, raw, undefined, undefined, at);
      } else if (text.length > 1 && text[0] === '-') {
        for (let j = 1; j < text.length; j++) {
          const name = longOf(options, text[j]);
          const raw = `-${text[j]}`;
          if (!isString(name)) take(name, raw, undefined, undefined, at);
          else if (j + 1 < text.length) {
            take(name, raw, stringSlice(text, j + 1), true, at);
            break;
          } else {
            const value = next();
            take(name, raw, value, value === undefined ? undefined : false, at);
          }
        }
      } else {
        if (!allowPositionals) {
          throw coded(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
            `Unexpected argument '${text}'. This command does not take positional arguments`);
        }
        append(positionals, args[i]);
        append(tokens, { kind: 'positional', index: at, value: args[i] });
      }
    }
    const names = keys(options);
    for (let i = 0; i < names.length; i++) {
      if (options[names[i]].default !== undefined && !hasOwn(values, names[i])) define(values, names[i], options[names[i]].default, true);
    }
    return wantsTokens ? { values, positionals, tokens } : { values, positionals };
  };

  // Terminal codes to turn a style on and off.
  const colors = 'black red green yellow blue magenta cyan white';
  const styles = { __proto__: null, reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25],
    inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24], overlined: [53, 55], framed: [51, 54],
    gray: [90, 39], grey: [90, 39] };
  const names = internals.primordials.splitOn(colors, ' ');
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const capital = internals.primordials.stringToUpperCase(name[0]) + stringSlice(name, 1);
    styles[name] = [30 + i, 39];
    styles[`bg${capital}`] = [40 + i, 49];
    styles[`${name}Bright`] = [90 + i, 39];
    styles[`bg${capital}Bright`] = [100 + i, 49];
  }
  /** As in Node.js without a terminal, returns the text unchanged unless `validateStream` is false. */
  const styleText = (format, text, options) => {
    if (typeof text !== 'string') throw wrongType('text', 'of type string', text);
    const formats = isArray(format) ? format : [format];
    let before = '';
    let after = '';
    for (let i = 0; i < formats.length; i++) {
      const codes = styles[formats[i]];
      if (codes === undefined) {
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'format' must be one of: ${internals.primordials.arrayJoin(keys(styles), ', ')}. Received ${internals.inspect(formats[i])}`);
      }
      before += `\u001b[${codes[0]}m`;
      after = `\u001b[${codes[1]}m${after}`;
    }
    return options?.validateStream === false ? before + text + after : text;
  };

  internals.parseArgs = parseArgs;
  internals.styleText = styleText;
};
