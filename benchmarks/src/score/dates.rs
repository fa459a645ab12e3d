//! Parses dates in the forms that people and models write.

use std::fmt;

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day } = self;
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Maximum parts of a date: `Friday the 6th of January 2023`. Bounds the work on long texts.
const MAX_PARTS: usize = 6;

/// Parses a text that consists only of a date: `2023-01-06`, `01/06/2023` (month first, unless the
/// first number is above 12), `Jan 6, 2023`, `6 January 2023`, `Friday, January 6th, 2023`, and
/// `datetime.date(2023, 1, 6)`. The separators are spaces, quotes and `, . / - ( )`. A year has
/// four digits, and year, month and day are required.
pub fn read_date(text: &str) -> Option<Date> {
    let text = text
        .trim()
        .strip_prefix("datetime.date")
        .unwrap_or(text)
        .to_lowercase();
    let separators = [' ', ',', '.', '/', '-', '(', ')', '\'', '"'];
    let mut parts = text
        .split(|letter| separators.contains(&letter))
        .filter(|part| !part.is_empty());
    let mut month = None;
    let mut numbers = Vec::new();
    for part in parts.by_ref().take(MAX_PARTS) {
        if WEEKDAYS.iter().any(|day| is_name(part, day)) || part == "of" || part == "the" {
            continue;
        }
        if let Some(at) = MONTHS.iter().position(|name| is_name(part, name)) {
            if month.replace(at + 1).is_some() {
                return None;
            }
            continue;
        }
        numbers.push(number(part)?);
    }
    if parts.next().is_some() {
        return None;
    }
    let is_year = |(digits, _): &(usize, usize)| *digits == 4;
    let (year, month, day) = match (month, numbers.as_slice()) {
        (Some(month), [year, day]) if is_year(year) && !is_year(day) => (year.1, month, day.1),
        (Some(month), [day, year]) if is_year(year) && !is_year(day) => (year.1, month, day.1),
        (None, [year, month, day]) if is_year(year) => (year.1, month.1, day.1),
        (None, [month, day, year]) if is_year(year) && month.1 <= 12 => (year.1, month.1, day.1),
        (None, [day, month, year]) if is_year(year) => (year.1, month.1, day.1),
        _ => return None,
    };
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1..=longest).contains(&day) && year > 0).then_some(Date {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok()?,
        day: u8::try_from(day).ok()?,
    })
}

/// Whether a part is `name` or its abbreviation to three or four letters.
fn is_name(part: &str, name: &str) -> bool {
    part == name || (matches!(part.len(), 3 | 4) && name.starts_with(part))
}

/// Returns the number of digits and the value of a part such as `6`, `06`, `6th` or `2023`.
fn number(part: &str) -> Option<(usize, usize)> {
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| part.strip_suffix(ending))
        .unwrap_or(part);
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number
        .then(|| digits.parse().ok().map(|value| (digits.len(), value)))
        .flatten()
}
