// Reads texts of dates as V8 does: in ISO 8601 or, failing that, in its lenient grammar. QuickJS's own parser reads
// many texts differently without an error. Times without a zone are in UTC, the time zone of the sandbox.
(internals) => {
  'use strict';

  const { Date, splitOn, stringCharCodeAt, stringSlice, stringToLowerCase } = internals.primordials;
  const { UTC: timeOf } = Date;

  // Words by their first three letters; only months may be longer. The value of a zone is its offset in hours.
  const words = { __proto__: null };
  const addWords = (meaning, names, valueAt) => {
    const list = splitOn(names, ' ');
    for (let i = 0; i < list.length; i++) words[list[i]] = { __proto__: null, meaning, value: valueAt(i) };
  };
  addWords('month', 'jan feb mar apr may jun jul aug sep oct nov dec', (i) => i + 1);
  addWords('half of day', 'am pm', (i) => 12 * i);
  addWords('zone', 'z ut utc gmt', () => 0);
  addWords('zone', 'edt est cdt cst mdt mst pdt pst', (i) => -4 - ((i + 1) >> 1));
  addWords('time', 't', () => 0);
  const other = { __proto__: null, meaning: '', value: 0 };

  const isSpace = (code) => code === 32 || (code >= 9 && code <= 13 && code !== 10 && code !== 13) || code === 0xa0
    || code === 0xfeff || code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f
    || code === 0x3000;
  const isWithin = (value, low, high) => value >= low && value <= high;

  // The text, and the position after the current token.
  let text;
  let at;
  // The current token: `end`, `number`, `word`, `space`, `other` or one of `:-+.)`; its length, and its value.
  let kind;
  let size;
  let value;
  // What has been read: up to three numbers of the day, four of the time, and the zone, each with its count or null.
  const days = [0, 0, 0];
  let dayCount;
  let month;
  let isIso;
  const times = [0, 0, 0, 0];
  let timeCount;
  let half;
  let zoneSign;
  let zoneHour;
  let zoneMinute;

  /** Returns the current code unit, or 0 at the end. A NUL ends the text. */
  const current = () => (at < text.length ? stringCharCodeAt(text, at) : 0);
  const isDigit = (code) => isWithin(code, 48, 57);
  /** Whether a code unit belongs to a word: letters, everything that is not ASCII, and some punctuation. */
  const isLetter = (code) => code >= 65 && !isSpace(code);

  const scan = (code) => {
    const start = at;
    if (code === 0) return 'end';
    if (isDigit(code)) {
      value = 0;
      while (current() === 48) at++;
      // Further digits have no effect.
      for (let i = 0; isDigit(current()); i++, at++) if (i < 9) value = value * 10 + current() - 48;
      return 'number';
    }
    if (isLetter(code)) {
      while (isLetter(current())) at++;
      const found = words[stringToLowerCase(stringSlice(text, start, at < start + 3 ? at : start + 3))] ?? other;
      value = at - start <= 3 || found.meaning === 'month' ? found : other;
      return 'word';
    }
    let depth = code === 40 ? 1 : 0;
    for (at++; depth > 0 && current() !== 0; at++) depth += current() === 40 ? 1 : current() === 41 ? -1 : 0;
    switch (code) {
      case 58: return ':';
      case 45: return '-';
      case 43: return '+';
      case 46: return '.';
      case 41: return ')';
      default: return code === 10 || code === 13 || isSpace(code) ? 'space' : 'other';
    }
  };
  const advance = () => {
    const start = at;
    kind = scan(current());
    size = at - start;
  };
  const skip = (symbol) => {
    if (kind !== symbol) return false;
    advance();
    return true;
  };
  const isNumber = (digits, low, high) => kind === 'number' && size === digits && isWithin(value, low, high);
  const isWord = (meaning) => kind === 'word' && value.meaning === meaning;
  const isZ = () => isWord('zone') && size === 1;
  const isSign = () => kind === '+' || kind === '-';
  /** Returns the current number and advances. */
  const take = () => {
    const number = value;
    advance();
    return number;
  };
  /** Returns the current number, the digits of a fraction, in milliseconds, and advances. */
  const takeFraction = () => {
    const digits = size < 9 ? size : 9;
    let number = take();
    for (let i = digits; i < 3; i++) number *= 10;
    for (let i = digits; i > 3; i--) number = (number - number % 10) / 10;
    return number;
  };

  const addDay = (number) => {
    if (dayCount === 3) return false;
    days[dayCount++] = number;
    return true;
  };
  const addTime = (number) => {
    if (timeCount === 4) return false;
    times[timeCount++] = number;
    return true;
  };
  /** Adds the last number of a time; the others are 0. */
  const endTime = (number) => {
    addTime(number);
    while (addTime(0));
  };
  const expectsTime = (number) => (isWithin(timeCount, 1, 2) && number <= 59) || (timeCount === 3 && number <= 999);
  const setZone = (sign, hour, minute) => {
    zoneSign = sign;
    zoneHour = hour;
    zoneMinute = minute;
  };

  /**
   * Reads as much as possible as `[±yy]yyyy[-MM[-DD]][THH:mm[:ss[.sss]][Z|±hh:mm|±hhmm]]`. Returns false if the text is
   * invalid; if it may still follow the lenient grammar, the current token is not the end.
   */
  const readIso = () => {
    if (isSign()) {
      const sign = kind === '-' ? -1 : 1;
      advance();
      if (!isNumber(6, 0, 999999)) return true;
      const year = take();
      if (sign < 0 && year === 0) return true;
      addDay(sign * year);
    } else if (isNumber(4, 0, 9999)) {
      addDay(take());
    } else {
      return true;
    }
    if (skip('-')) {
      if (!isNumber(2, 1, 12)) return true;
      addDay(take());
      if (skip('-')) {
        if (!isNumber(2, 1, 31)) return true;
        addDay(take());
      }
    }
    if (!isWord('time')) {
      isIso = kind === 'end';
      if (isIso) setZone(1, 0, 0);
      return true;
    }
    advance();
    isIso = readIsoTime() && readIsoZone() && kind === 'end';
    return isIso;
  };
  const readIsoTime = () => {
    if (!isNumber(2, 0, 24)) return false;
    const last = value === 24 ? 0 : 59;
    addTime(take());
    if (!skip(':') || !isNumber(2, 0, last)) return false;
    addTime(take());
    if (!skip(':')) return true;
    if (!isNumber(2, 0, last)) return false;
    addTime(take());
    if (!skip('.')) return true;
    if (kind !== 'number' || (last === 0 && value > 0)) return false;
    return addTime(takeFraction());
  };
  const readIsoZone = () => {
    if (isZ()) {
      advance();
      setZone(1, 0, 0);
    } else if (isSign()) {
      const sign = kind === '-' ? -1 : 1;
      advance();
      if (isNumber(4, 0, 2359)) {
        setZone(sign, (value - value % 100) / 100, value % 100);
        advance();
        return zoneMinute <= 59;
      }
      if (!isNumber(2, 0, 23)) return false;
      setZone(sign, take(), null);
      if (!skip(':') || !isNumber(2, 0, 59)) return false;
      zoneMinute = take();
    }
    return true;
  };

  // ---- the lenient grammar. Each of these functions returns false if the text is invalid.

  const readNumber = () => {
    const number = take();
    if (skip(':')) {
      if (!skip(':')) {
        if (!addTime(number)) return false;
        if (kind === '.') advance();
        return true;
      }
      if (timeCount > 0) return false;
      addTime(number);
      return addTime(0);
    }
    if (skip('.') && expectsTime(number)) {
      addTime(number);
      if (kind !== 'number') return false;
      endTime(takeFraction());
    } else if (zoneHour !== null && zoneMinute === null && number <= 59) {
      zoneMinute = number;
    } else if (expectsTime(number)) {
      endTime(number);
      return kind === 'end' || kind === 'space' || isZ() || isSign();
    } else {
      if (!addDay(number)) return false;
      skip('-');
    }
    return true;
  };
  const readWord = (hasNumber) => {
    const word = value;
    advance();
    if (word.meaning === 'half of day' && timeCount > 0) {
      half = word.value;
    } else if (word.meaning === 'month') {
      month = word.value;
      skip('-');
    } else if (word.meaning === 'zone' && hasNumber) {
      setZone(word.value < 0 ? -1 : 1, word.value < 0 ? -word.value : word.value, 0);
    } else {
      return !hasNumber && kind !== 'number';
    }
    return true;
  };
  const readOffset = () => {
    zoneSign = kind === '-' ? -1 : 1;
    advance();
    const digits = kind === 'number' ? size : 0;
    const number = digits > 0 ? take() : 0;
    if (kind === ':') setZone(zoneSign, number, null);
    else if (isWithin(digits, 1, 2)) setZone(zoneSign, number, 0);
    else if (isWithin(digits, 3, 4)) setZone(zoneSign, (number - number % 100) / 100, number % 100);
    else return false;
    return true;
  };

  /** Returns the milliseconds of what has been read, or NaN if a part is out of range. */
  const total = () => {
    if (dayCount === 0) return NaN;
    while (addDay(1));
    const isYearFirst = isIso || !isWithin(days[0], 1, 31);
    let year = days[month !== null ? 1 : 2];
    if (isYearFirst) year = days[0];
    let day = days[month !== null ? 0 : 1];
    if (isYearFirst) day = days[month !== null ? 1 : 2];
    const number = month ?? days[isYearFirst ? 1 : 0];
    if (!isIso && isWithin(year, 0, 99)) year += year < 50 ? 2000 : 1900;
    if (!isWithin(number, 1, 12) || !isWithin(day, 1, 31)) return NaN;

    while (addTime(0));
    if (half !== null) {
      if (times[0] > 12) return NaN;
      times[0] = times[0] % 12 + half;
    }
    const isMidnight = times[0] === 24 && times[1] === 0 && times[2] === 0 && times[3] === 0;
    if (!isMidnight && (times[0] > 23 || times[1] > 59 || times[2] > 59 || times[3] > 999)) return NaN;
    // V8 computes with 32 bits.
    const offset = zoneSign === null ? 0 : ((zoneHour ?? 0) * 3600 + (zoneMinute ?? 0) * 60) >>> 0;
    if (offset > 0x7fffffff) return NaN;

    // `Date.UTC` does not read years below 100 literally. The calendar repeats after 400 years.
    const cycles = (year - year % 400) / 400 - 5;
    const time = timeOf(2000 + year % 400, number - 1, day, times[0], times[1], times[2], times[3])
      + cycles * 146097 * 864e5 - (zoneSign ?? 1) * offset * 1000;
    return isWithin(time, -864e13, 864e13) ? time : NaN;
  };

  const parse = () => {
    advance();
    if (!readIso()) return NaN;
    let hasNumber = dayCount > 0;
    while (kind !== 'end') {
      if (kind === 'number') {
        if (!readNumber()) return NaN;
        hasNumber = true;
      } else if (kind === 'word') {
        if (!readWord(hasNumber)) return NaN;
      } else if (isSign() && (timeCount > 0 || (zoneHour === 0 && zoneMinute === 0))) {
        if (!readOffset()) return NaN;
        hasNumber = true;
      } else if (hasNumber && (isSign() || kind === ')')) {
        return NaN;
      } else {
        advance();
      }
    }
    return total();
  };

  /** Returns the time that a text names, in milliseconds, or NaN. */
  internals.parseDate = (given) => {
    text = given;
    at = 0;
    dayCount = 0;
    timeCount = 0;
    isIso = false;
    month = null;
    half = null;
    setZone(null, null, null);
    const time = parse();
    text = '';
    return time;
  };
};
