//! Finds payment card numbers: 13 to 19 digits with the check digit of ISO/IEC 7812-1.

use std::ops::Range;

const LENGTHS: Range<usize> = 13..20;

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
        let mut digits = Vec::new();
        let mut end = at;
        while at < bytes.len() {
            if bytes[at].is_ascii_digit() {
                digits.push(bytes[at] - b'0');
                at += 1;
                end = at;
            } else if matches!(bytes[at], b' ' | b'-')
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
            {
                at += 1;
            } else {
                break;
            }
        }
        let joined =
            start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'.');
        if !joined && LENGTHS.contains(&digits.len()) && passes_luhn_check(&digits) {
            found.push(start..end);
        }
    }
    found
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
        let rows: [(&str, &[&str]); 9] = [
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
