// `path.win32`: Windows paths, with the functions of `path.js` for what follows the root. The working directory is `/`.
(internals) => {
  'use strict';

  const {
    arrayJoin, list, regexpExec, replaceAll, splitOn, stringEndsWith, stringIncludes, stringLastIndexOf, stringSlice,
    stringStartsWith, stringToLowerCase,
  } = internals.primordials;
  const { baseOf, check, collapse, extensionOf, makeFormat } = internals.pathParts;

  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/;
  const drive = /^[a-z]:/i;
  const slashed = (path) => replaceAll(path, '\\', '/');
  const isSlash = (character) => character === '\\' || character === '/';

  /**
   * Returns the root of a path: its device (`C:` or `\\server\share`), its length without and with the next separator,
   * and whether it makes the path absolute.
   */
  const rootOf = (path) => {
    const root = { __proto__: null, device: '', size: 0, end: 0, isAbsolute: isSlash(path[0]) };
    const shared = regexpExec(share, path);
    if (shared !== null) {
      root.device = `\\\\${shared[1]}\\${shared[2]}`;
      root.size = shared[0].length;
    } else if (regexpExec(drive, path) !== null) {
      root.device = stringSlice(path, 0, 2);
      root.size = 2;
      root.isAbsolute = isSlash(path[2]);
    }
    root.end = root.size + (isSlash(path[root.size]) ? 1 : 0);
    return root;
  };
  /** Returns the device of a path and the rest, as `normalize` and `resolve` see them: `\\.` and `\\?` are devices. */
  const split = (path) => {
    const { device, size, isAbsolute } = rootOf(path);
    const isSpecial = stringStartsWith(device, '\\\\.\\') || stringStartsWith(device, '\\\\?\\');
    return {
      __proto__: null, isAbsolute, device: isSpecial ? stringSlice(device, 0, 3) : device,
      rest: slashed(stringSlice(path, isSpecial ? 4 : size)),
    };
  };
  const tailOf = (rest, isAbsolute) => replaceAll(collapse(rest, isAbsolute), '/', '\\');

  const isAbsolute = (path) => {
    check(path, 'path');
    return rootOf(path).isAbsolute;
  };

  const normalize = (path) => {
    check(path, 'path');
    if (path === '') return '.';
    const root = split(path);
    let tail = tailOf(root.rest, root.isAbsolute);
    if (tail === '' && !root.isAbsolute) tail = '.';
    if (tail !== '' && isSlash(path[path.length - 1])) tail += '\\';
    if (root.isAbsolute) return `${root.device}\\${tail}`;
    // A relative path must not become one with a drive or stream.
    const hidesDevice = root.device === '' && stringIncludes(path, ':')
      && (regexpExec(drive, tail) !== null || regexpExec(/:(?:[\\/]|$)/, path) !== null);
    return hidesDevice ? `.\\${tail}` : root.device + tail;
  };

  const join = (...paths) => {
    const kept = list();
    for (let i = 0; i < paths.length; i++) {
      check(paths[i], 'path');
      if (paths[i] !== '') kept[kept.length] = paths[i];
    }
    if (kept.length === 0) return '.';
    const joined = arrayJoin(kept, '\\');
    // Only a first part that names a server begins with two separators.
    if (regexpExec(/^[\\/]{2}[^\\/]/, kept[0]) !== null) return normalize(joined);
    let start = 0;
    while (isSlash(joined[start]) && isSlash(joined[start + 1])) start++;
    return normalize(stringSlice(joined, start));
  };

  const resolve = (...paths) => {
    let device = '';
    let rest = '';
    let isRooted = false;
    for (let i = paths.length - 1; i >= -1 && !(isRooted && device !== ''); i--) {
      const path = i < 0 ? '/' : paths[i];
      check(path, `paths[${i}]`);
      if (path === '') continue;
      const root = split(path);
      if (root.device !== '') {
        if (device === '') device = root.device;
        else if (stringToLowerCase(device) !== stringToLowerCase(root.device)) continue;
      }
      if (isRooted) continue;
      rest = `${root.rest}/${rest}`;
      isRooted = root.isAbsolute;
    }
    return `${device}\\${tailOf(rest, true)}`;
  };

  const relative = (from, to) => {
    check(from, 'from');
    check(to, 'to');
    const [start, end] = [resolve(from), resolve(to)];
    const partsOf = (path) => {
      const parts = list();
      const all = splitOn(path, '\\');
      for (let i = 0; i < all.length; i++) if (all[i] !== '') parts[parts.length] = all[i];
      return parts;
    };
    const [source, target] = [partsOf(start), partsOf(end)];
    let common = 0;
    while (common < source.length && common < target.length
      && stringToLowerCase(source[common]) === stringToLowerCase(target[common])) common++;
    if (common === 0 && source.length > 0 && target.length > 0) return end;
    const result = list();
    for (let i = common; i < source.length; i++) result[result.length] = '..';
    for (let i = common; i < target.length; i++) result[result.length] = target[i];
    return arrayJoin(result, '\\');
  };

  const toNamespacedPath = (path) => {
    if (typeof path !== 'string' || path === '') return path;
    const resolved = resolve(path);
    if (resolved.length <= 2) return path;
    if (regexpExec(/^\\\\[^.?]/, resolved) !== null) return `\\\\?\\UNC\\${stringSlice(resolved, 2)}`;
    return regexpExec(/^[a-z]:\\/i, resolved) !== null ? `\\\\?\\${resolved}` : resolved;
  };

  /** Returns what comes before the last part of a path, which begins after `start`, or undefined. */
  const folderOf = (path, start) => {
    let end = path.length;
    while (end > start && isSlash(path[end - 1])) end--;
    const at = stringLastIndexOf(slashed(stringSlice(path, start, end)), '/');
    return at < 0 ? undefined : stringSlice(path, 0, start + at);
  };
  const dirname = (path) => {
    check(path, 'path');
    if (path === '') return '.';
    const { end } = rootOf(path);
    return folderOf(path, end) ?? (end === 0 ? '.' : stringSlice(path, 0, end));
  };

  const withoutDrive = (path) => slashed(regexpExec(drive, path) === null ? path : stringSlice(path, 2));

  const basename = (path, suffix) => {
    if (suffix !== undefined) check(suffix, 'suffix');
    check(path, 'path');
    if (suffix !== undefined && suffix === path) return '';
    const base = baseOf(withoutDrive(path));
    const isCut = suffix !== undefined && suffix !== '' && base !== suffix && stringEndsWith(base, suffix);
    return isCut ? stringSlice(base, 0, -suffix.length) : base;
  };

  const extname = (path) => {
    check(path, 'path');
    return extensionOf(baseOf(withoutDrive(path)));
  };

  const parse = (path) => {
    check(path, 'path');
    const { end } = rootOf(path);
    const root = stringSlice(path, 0, end);
    const base = baseOf(slashed(stringSlice(path, end)));
    const ext = extensionOf(base);
    const name = ext === '' ? base : stringSlice(base, 0, -ext.length);
    return { root, dir: folderOf(path, end) ?? root, base, ext, name };
  };

  internals.win32 = {
    resolve, normalize, isAbsolute, join, relative, toNamespacedPath, dirname, basename, extname,
    format: makeFormat('\\'), parse, sep: '\\', delimiter: ';', win32: null, posix: null,
  };
};
