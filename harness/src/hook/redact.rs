//! Redacts card numbers, keys and tokens in texts.

use std::ops::Range;

use super::luhn::card_numbers;
use crate::prompt::definition::secrets_in;

pub(super) fn without_cards(text: &str) -> String {
    replace_ranges(text, card_numbers(text), "[credit card]")
}

/// Redacts keys and tokens in known formats.
pub(super) fn without_secrets(text: &str) -> String {
    let secrets = secrets_in(text, &[]);
    replace_ranges(
        text,
        secrets.into_iter().map(|secret| secret.range),
        "[secret]",
    )
}

/// Replaces each range with `mark`. The ranges must be in order and must not overlap.
fn replace_ranges(
    text: &str,
    ranges: impl IntoIterator<Item = Range<usize>>,
    mark: &str,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(mark);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}
