// Formats dates in UTC: in American English with the common options, in the other languages only without options.
(internals) => {
  'use strict';

  const {
    Date, TypeError, dateGetTime, keys, splitOn, stringPadStart, stringSlice, stringToUpperCase, uncurry,
  } = internals.primordials;
  const { localeOf, refusal } = internals.locale;

  const field = (name) => uncurry(Date.prototype[`getUTC${name}`]);
  const yearOf = field('FullYear');
  const monthOf = field('Month');
  const dayOf = field('Date');
  const weekdayOf = field('Day');
  const hourOf = field('Hours');
  const minuteOf = field('Minutes');
  const secondOf = field('Seconds');

  const MONTHS = splitOn('January February March April May June July August September October November December', ' ');
  const DAYS = splitOn('Sunday Monday Tuesday Wednesday Thursday Friday Saturday', ' ');
  const INSTEAD = 'use `toISOString()` or `getUTCFullYear()`, `getUTCMonth()` and their like';
  const choices = {
    __proto__: null, weekday: 'long short', year: 'numeric 2-digit', month: 'numeric 2-digit long short', day: 'numeric 2-digit',
    hour: 'numeric 2-digit', minute: 'numeric 2-digit', second: 'numeric 2-digit', hour12: 'true false', hourCycle: 'h12 h23',
    timeZone: 'UTC', timeZoneName: 'short', dateStyle: 'full long medium short', timeStyle: 'full long medium short',
    calendar: 'gregory', numberingSystem: 'latn', localeMatcher: 'lookup best fit',
  };
  const absent = ['era', 'dayPeriod', 'fractionalSecondDigits', 'formatMatcher'];
  const isUtc = (zone) => zone === 'UTC' || zone === 'ETC/UTC' || zone === 'GMT' || zone === 'ETC/GMT';

  /** Validates and resolves the options of a format. `wanted` and `usual` are `date`, `time` or `any` and `all`, as in ECMA-402. */
  const settingsOf = (locales, options, what, wanted, usual) => {
    const { tag, language } = localeOf(locales, what);
    const given = options ?? { __proto__: null };
    const settings = { __proto__: null };
    const names = keys(choices);
    for (let i = 0; i < names.length; i++) {
      const value = given[names[i]];
      if (value === undefined) continue;
      if (names[i] === 'timeZone') {
        if (!isUtc(stringToUpperCase(`${value}`))) {
          throw refusal(`the time zone '${value}'`, 'all times here are in UTC; add the offset to the time yourself');
        }
        continue;
      }
      const all = splitOn(choices[names[i]], ' ');
      let isKnown = names[i] === 'localeMatcher';
      for (let j = 0; j < all.length; j++) isKnown ||= all[j] === `${value}`;
      if (!isKnown) throw refusal(`${names[i]}: '${value}' of ${what}`, INSTEAD);
      settings[names[i]] = value;
    }
    for (let i = 0; i < absent.length; i++) {
      if (given[absent[i]] !== undefined) throw refusal(`${absent[i]} of ${what}`, INSTEAD);
    }
    const s = settings;
    const hasDate = (s.weekday ?? s.year ?? s.month ?? s.day) !== undefined;
    const hasTime = (s.hour ?? s.minute ?? s.second) !== undefined;
    const hasStyle = (s.dateStyle ?? s.timeStyle) !== undefined;
    if (hasStyle && (hasDate || hasTime || s.timeZoneName !== undefined)) {
      throw new TypeError(`Can't set option ${hasDate ? 'year' : 'hour'} when ${s.dateStyle ? 'dateStyle' : 'timeStyle'} is used`);
    }
    if ((wanted === 'date' && s.timeStyle !== undefined) || (wanted === 'time' && s.dateStyle !== undefined)) {
      throw new TypeError(`Invalid option : ${wanted === 'date' ? 'timeStyle' : 'dateStyle'}`);
    }
    const isBare = !hasStyle && !(wanted !== 'time' && hasDate) && !(wanted !== 'date' && hasTime);
    if (isBare && usual !== 'time') s.year = s.month = s.day = 'numeric';
    if (isBare && usual !== 'date') s.hour = s.minute = s.second = 'numeric';
    const isPlain = isBare && !hasDate && !hasTime && (s.timeZoneName ?? s.hour12 ?? s.hourCycle) === undefined;
    return { __proto__: null, tag, language, isPlain, fields: s, what };
  };

  const two = (number) => stringPadStart(`${number}`, 2, '0');
  const number = (value, style) => (style === '2-digit' ? two(value % 100) : `${value}`);
  const clock = (date) => `${two(hourOf(date))}:${two(minuteOf(date))}:${two(secondOf(date))}`;

  /** Formats a date without options in a language other than American English. */
  const plainDate = (date, tag, language) => {
    const [year, month, day] = [yearOf(date), monthOf(date) + 1, dayOf(date)];
    if (language === 'de') return `${day}.${month}.${year}`;
    if (language === 'ja') return `${year}/${month}/${day}`;
    return `${two(day)}/${two(month)}/${year}`;
  };
  const plain = (date, { tag, language, fields }) => {
    const day = fields.year === undefined ? '' : plainDate(date, tag, language);
    let time = '';
    if (fields.hour !== undefined) time = language === 'ja' ? `${hourOf(date)}${stringSlice(clock(date), 2)}` : clock(date);
    const between = language === 'de' || language === 'en' ? ', ' : ' ';
    return day + (day !== '' && time !== '' ? between : '') + time;
  };

  const styles = {
    __proto__: null,
    full: { __proto__: null, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    long: { __proto__: null, year: 'numeric', month: 'long', day: 'numeric' },
    medium: { __proto__: null, year: 'numeric', month: 'short', day: 'numeric' },
    short: { __proto__: null, year: '2-digit', month: 'numeric', day: 'numeric' },
  };

  const americanDate = (date, { weekday, year, month, day }, what) => {
    const isText = month === 'long' || month === 'short';
    const weekName = weekday === undefined ? '' : DAYS[weekdayOf(date)];
    const shownWeekday = weekday === 'short' ? stringSlice(weekName, 0, 3) : weekName;
    const shownYear = year === undefined ? '' : number(yearOf(date), year);
    const shownDay = day === undefined ? '' : number(dayOf(date), day);
    const isOdd = month === undefined
      ? (weekday !== undefined) + (year !== undefined) + (day !== undefined) > 1
      : weekday !== undefined && day === undefined;
    if (isOdd) throw refusal(`this choice of weekday, year and day for ${what}`, 'ask for the month and the day, too');
    if (month === undefined) return shownWeekday + shownYear + shownDay;
    let text;
    if (isText) {
      const name = month === 'short' ? stringSlice(MONTHS[monthOf(date)], 0, 3) : MONTHS[monthOf(date)];
      text = shownDay === '' ? name : `${name} ${shownDay}`;
      if (shownYear !== '') text += shownDay === '' ? ` ${shownYear}` : `, ${shownYear}`;
    } else {
      text = number(monthOf(date) + 1, month);
      if (shownDay !== '') text += `/${shownDay}`;
      if (shownYear !== '') text += `/${shownYear}`;
    }
    return shownWeekday === '' ? text : `${shownWeekday}, ${text}`;
  };

  const americanTime = (date, { hour, minute, second, hour12, hourCycle }, what) => {
    if (hour === undefined) {
      if (minute !== undefined && second !== undefined) return `${two(minuteOf(date))}:${two(secondOf(date))}`;
      return `${minute !== undefined ? minuteOf(date) : secondOf(date)}`;
    }
    if (minute === undefined && second !== undefined) throw refusal(`hours and seconds without minutes of ${what}`, INSTEAD);
    const isHalf = hour12 === undefined ? hourCycle !== 'h23' : hour12 !== false && hour12 !== 'false';
    let hours = hourOf(date);
    // With `hour12: false`, midnight is hour 24 in this locale, as in Node.js.
    if (isHalf || (hour12 !== undefined && hours === 0)) hours = isHalf ? hours % 12 || 12 : 24;
    let text = hour === '2-digit' || !isHalf ? two(hours) : `${hours}`;
    if (minute !== undefined) text += `:${two(minuteOf(date))}`;
    if (second !== undefined) text += `:${two(secondOf(date))}`;
    return isHalf ? `${text} ${hourOf(date) < 12 ? 'AM' : 'PM'}` : text;
  };

  /** Formats a date with resolved settings. */
  const formatDate = (date, settings) => {
    const time = dateGetTime(date);
    if (time !== time) return 'Invalid Date';
    const { tag, isPlain, fields, what } = settings;
    if (yearOf(date) < 1 || yearOf(date) > 9999) throw refusal(`the year ${yearOf(date)} for ${what}`, INSTEAD);
    if (tag !== 'en-US') {
      if (isPlain) return plain(date, settings);
      throw refusal(`${what} for '${tag}' with options`, `only 'en-US' takes any; else ${INSTEAD}`);
    }
    const { dateStyle, timeStyle } = fields;
    const days = dateStyle === undefined ? fields : styles[dateStyle];
    const times = timeStyle === undefined ? fields : {
      __proto__: null, hour: 'numeric', minute: '2-digit', second: timeStyle === 'short' ? undefined : '2-digit',
      hour12: fields.hour12, hourCycle: fields.hourCycle,
    };
    const hasDays = (days.weekday ?? days.year ?? days.month ?? days.day) !== undefined;
    const hasTimes = (times.hour ?? times.minute ?? times.second) !== undefined;
    let text = hasDays ? americanDate(date, days, what) : '';
    if (hasTimes) {
      if (hasDays && days.month === undefined && days.year === undefined) {
        throw refusal(`this choice of weekday, day and hour for ${what}`, 'ask for the month and the day, too');
      }
      const between = days.month === 'long' ? ' at ' : ', ';
      text += (hasDays ? between : '') + americanTime(date, times, what);
    }
    if (timeStyle === 'full') return `${text} Coordinated Universal Time`;
    if (fields.timeZoneName === undefined && timeStyle !== 'long') return text;
    if (!hasTimes) return text + (days.month === 'long' ? ' at UTC' : ', UTC');
    const isHalf = times.hour12 === undefined ? times.hourCycle !== 'h23' : `${times.hour12}` === 'true';
    if (times.minute === undefined && !isHalf) throw refusal(`24 hours without minutes, with the time zone, of ${what}`, INSTEAD);
    return `${text} UTC`;
  };

  internals.dates = { __proto__: null, formatDate, settingsOf };
};
