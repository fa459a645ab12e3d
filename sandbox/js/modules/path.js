// The `path` module: POSIX paths; the working directory is `/`.
(internals) => {
  'use strict';

  const {
    arrayJoin, isArray, list, splitOn, stringEndsWith, stringLastIndexOf, stringSlice, stringStartsWith,
  } = internals.primordials;
  const { wrongType } = internals.exceptions;

  const check = (value, name) => {
    if (typeof value !== 'string') throw wrongType(name, 'of type string', value);
  };

  // Resolves `.`, `..` and empty segments. Relative paths keep `..` above their start.
  const collapse = (path, absolute) => {
    const parts = splitOn(path, '/');
    const kept = list();
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === '' || part === '.') continue;
      if (part !== '..') kept[kept.length] = part;
      else if (kept.length > 0 && kept[kept.length - 1] !== '..') kept.length--;
      else if (!absolute) kept[kept.length] = '..';
    }
    return arrayJoin(kept, '/');
  };

  const isAbsolute = (path) => {
    check(path, 'path');
    return stringStartsWith(path, '/');
  };

  const normalize = (path) => {
    check(path, 'path');
    if (path === '') return '.';
    const absolute = stringStartsWith(path, '/');
    let result = collapse(path, absolute);
    if (result === '' && !absolute) result = '.';
    if (result !== '' && stringEndsWith(path, '/')) result += '/';
    return absolute ? `/${result}` : result;
  };

  const join = (...paths) => {
    const kept = list();
    for (let i = 0; i < paths.length; i++) {
      check(paths[i], 'path');
      if (paths[i] !== '') kept[kept.length] = paths[i];
    }
    return kept.length === 0 ? '.' : normalize(arrayJoin(kept, '/'));
  };

  const resolve = (...paths) => {
    let path = '';
    for (let i = paths.length - 1; i >= 0; i--) {
      check(paths[i], `paths[${i}]`);
      if (paths[i] === '') continue;
      path = `${paths[i]}/${path}`;
      if (stringStartsWith(path, '/')) break;
    }
    return `/${collapse(path, true)}`;
  };

  const relative = (from, to) => {
    check(from, 'from');
    check(to, 'to');
    const source = splitOn(stringSlice(resolve(from), 1), '/');
    const target = splitOn(stringSlice(resolve(to), 1), '/');
    if (source[0] === '') source.length = 0;
    if (target[0] === '') target.length = 0;
    let common = 0;
    while (common < source.length && common < target.length && source[common] === target[common]) common++;
    const result = list();
    for (let i = common; i < source.length; i++) result[result.length] = '..';
    for (let i = common; i < target.length; i++) result[result.length] = target[i];
    return arrayJoin(result, '/');
  };

  const withoutTrailingSlashes = (path) => {
    let end = path.length;
    while (end > 1 && path[end - 1] === '/') end--;
    return stringSlice(path, 0, end);
  };

  const dirname = (path) => {
    check(path, 'path');
    if (path === '') return '.';
    const trimmed = withoutTrailingSlashes(path);
    const at = stringLastIndexOf(trimmed, '/');
    if (at === -1) return '.';
    // Keeps two leading slashes, because POSIX allows a special meaning for them.
    if (at === 1 && trimmed[0] === '/') return '//';
    return at === 0 ? '/' : stringSlice(path, 0, at);
  };

  const lastSegment = (path) => {
    const trimmed = withoutTrailingSlashes(path);
    return trimmed === '/' ? '' : stringSlice(trimmed, stringLastIndexOf(trimmed, '/') + 1);
  };

  const basename = (path, suffix) => {
    if (suffix !== undefined) check(suffix, 'suffix');
    check(path, 'path');
    if (suffix !== undefined && suffix === path) return '';
    const base = lastSegment(path);
    if (suffix !== undefined && suffix !== '' && base !== suffix && stringEndsWith(base, suffix)) {
      return stringSlice(base, 0, -suffix.length);
    }
    return base;
  };

  const extensionOf = (base) => {
    const dot = stringLastIndexOf(base, '.');
    return dot <= 0 || base === '..' ? '' : stringSlice(base, dot);
  };

  const extname = (path) => {
    check(path, 'path');
    return extensionOf(lastSegment(path));
  };

  const parse = (path) => {
    check(path, 'path');
    const root = stringStartsWith(path, '/') ? '/' : '';
    const base = lastSegment(path);
    const ext = extensionOf(base);
    const name = ext === '' ? base : stringSlice(base, 0, -ext.length);
    const at = stringLastIndexOf(withoutTrailingSlashes(path), '/');
    const dir = at > 0 ? stringSlice(path, 0, at) : root;
    return { root, dir, base, ext, name };
  };

  const makeFormat = (separator) => (pathObject) => {
    if (typeof pathObject !== 'object' || pathObject === null || isArray(pathObject)) {
      throw wrongType('pathObject', 'of type object', pathObject);
    }
    const { root, name, ext } = pathObject;
    const dir = pathObject.dir || root;
    const dot = ext && ext[0] !== '.' ? '.' : '';
    const base = pathObject.base || `${name || ''}${ext ? dot + ext : ''}`;
    if (!dir) return base;
    return dir === root ? `${dir}${base}` : `${dir}${separator}${base}`;
  };
  internals.pathParts = { __proto__: null, baseOf: lastSegment, check, collapse, extensionOf, makeFormat };

  internals.defineModule('path/posix', () => internals.require('path'));
  internals.defineModule('path', () => {
    const path = {
      resolve, normalize, isAbsolute, join, relative, toNamespacedPath: (value) => value, dirname, basename, extname,
      format: makeFormat('/'), parse, sep: '/', delimiter: ':', win32: internals.win32, posix: null,
    };
    path.posix = path;
    path.win32.win32 = path.win32;
    path.win32.posix = path;
    return path;
  });
};
