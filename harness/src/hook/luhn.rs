//! Finds payment card numbers: 13 to 19 digits with the check digit of ISO/IEC 7812-1.

use std::ops::Range;

const LENGTHS: Range<usize> = 13..20;

/// Lengths of the groups of digits in which cards print their numbers.
const PRINTED: [&[usize]; 4] = [&[4, 4, 4, 4, 3], &[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4]];

/// Returns the byte ranges of card numbers in a text. Digits may be separated by single spaces or
/// hyphens. Ignores digits that are part of a longer word or number.
pub(super) fn card_numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut groups: Vec<Range<usize>> = Vec::new();
        loop {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
            let end = at + digits.count();
            groups.push(at..end);
            at = end + 1;
            let is_separated = matches!(bytes.get(end), Some(b' ' | b'-'));
            if !is_separated || !bytes.get(at).is_some_and(u8::is_ascii_digit) {
                break;
            }
        }
        let joined =
            start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'.');
        add_card_numbers(bytes, &groups[usize::from(joined)..], &mut found);
    }
    found
}

/// Adds the card numbers among groups of digits with single separators: all groups together, or
/// else groups that are a card number without separators or in its printed form.
fn add_card_numbers(bytes: &[u8], groups: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    if let [first, .., last] = groups
        && is_card_number(&bytes[first.start..last.end])
    {
        found.push(first.start..last.end);
        return;
    }
    for place in 0..groups.len() {
        let groups = &groups[place..];
        let start = groups[0].start;
        let printed = PRINTED.iter();
        let printed = printed.filter(|lengths| is_printed(bytes, groups, lengths));
        let counts = printed.map(|lengths| lengths.len()).chain([1]);
        let mut ends = counts.map(|count| groups[count - 1].end);
        let Some(end) = ends.find(|end| is_card_number(&bytes[start..*end])) else {
            continue;
        };
        match found.last_mut() {
            // Of overlapping matches, any can be the number.
            Some(last) if last.end > start => last.end = last.end.max(end),
            _ => found.push(start..end),
        }
    }
}

/// Whether groups begin with groups of these lengths and with digits that card issuers use. Years
/// and similar columns of numbers begin with other digits.
fn is_printed(bytes: &[u8], groups: &[Range<usize>], lengths: &[usize]) -> bool {
    let found = groups.iter().map(ExactSizeIterator::len);
    groups.len() >= lengths.len()
        && found.zip(lengths).all(|(found, length)| found == *length)
        && matches!(
            bytes[groups[0].clone()],
            [b'3'..=b'6', ..] | [b'2', b'2'..=b'7', ..]
        )
}

/// Whether a text with digits and separators is a card number.
fn is_card_number(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let digits: Vec<u8> = digits.map(|digit| digit - b'0').collect();
    LENGTHS.contains(&digits.len()) && passes_luhn_check(&digits)
}

/// Whether digits pass the Luhn check and are not all the same.
fn passes_luhn_check(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) << (place % 2);
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

#[cfg(test)]
mod tests {
    use super::card_numbers;

    #[test]
    fn finds_only_numbers_with_valid_check_digit() {
        let rows: [(&str, &[&str]); 16] = [
            ("4111111111111111", &["4111111111111111"]),
            (
                "pay with 4111 1111 1111 1111, please",
                &["4111 1111 1111 1111"],
            ),
            (
                "378282246310005 or 5555-5555-5555-4444.",
                &["378282246310005", "5555-5555-5555-4444"],
            ),
            ("4111111111111112", &[]),
            ("0000000000000000", &[]),
            ("41111111111111111111", &[]),
            ("3.4111111111111111", &[]),
            ("a4111111111111111", &[]),
            ("1234567 and 1700000000000 ms", &[]),
            ("2024-01-15 4111111111111111 49.90", &["4111111111111111"]),
            ("4111 1111 1111 1111 123", &["4111 1111 1111 1111"]),
            ("1 4111111111111111", &["4111111111111111"]),
            ("v2 4111111111111111", &["4111111111111111"]),
            ("12 3782 822463 10005", &["3782 822463 10005"]),
            ("3000 4111 1111 1111 1111", &["3000 4111 1111 1111 1111"]),
            ("1989 1990 1991 1992 1993 1994 1995", &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<&str> = card_numbers(text)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
