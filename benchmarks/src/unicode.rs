//! Unicode normalization shared by the scorers.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// Returns the canonical composition (NFC) of a text.
pub fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(text)
        .into_owned()
}

/// Replaces variants of characters with the plain forms and composes the result (NFC). Variants are
/// full-width and half-width forms, Latin ligatures, Roman numerals, decimal digits of any script,
/// Arabic separators in numbers, and the minus sign `−`. Invisible characters are dropped.
///
/// These replacements are a subset of NFKC. The rest of NFKC changes meaning: it turns `10²` into
/// `102`, and `1½` into `11⁄2`.
pub fn plain_forms(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let compatible = DecomposingNormalizerBorrowed::new_nfkd();
    for letter in text.chars() {
        match letter {
            _ if letter.is_ascii() => plain.push(letter),
            // The full-width `¯` decomposes to a space and a combining mark; neither matters here.
            '\u{ff00}'..='\u{ffef}' | '\u{fb00}'..='\u{fb06}' | '\u{2160}'..='\u{217f}' => {
                plain.extend(compatible.normalize_iter(std::iter::once(letter)));
            }
            '−' => plain.push('-'),
            '٫' => plain.push('.'),
            '٬' => plain.push(','),
            _ if letter.is_whitespace() => plain.push(letter),
            _ => match decimal_digit(letter) {
                Some(digit) => plain.push(digit),
                None if is_invisible(letter) => {}
                None => plain.push(letter),
            },
        }
    }
    nfc(&plain)
}

/// Folds case, including `ß` to `ss`.
pub fn fold_case(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            // `ı` has the same uppercase letter as `i`, but they are different letters.
            let upper = (letter != 'ı').then(|| letter.to_uppercase());
            let as_is = upper.is_none().then_some(letter);
            upper.into_iter().flatten().chain(as_is)
        })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a character is punctuation of any script, or an ASCII symbol.
pub fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || (!letter.is_ascii() && GeneralCategoryGroup::Punctuation.contains(category(letter)))
}

/// Whether a character is a dash or hyphen.
pub fn is_dash(letter: char) -> bool {
    letter == '-' || (!letter.is_ascii() && category(letter) == GeneralCategory::DashPunctuation)
}

/// Whether a character may separate groups of three digits. Ordinary spaces may not, because they
/// separate numbers.
pub fn is_thousands_separator(letter: char) -> bool {
    matches!(
        letter,
        ',' | '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}'
    )
}

/// Returns the ASCII digit for a decimal digit of another script.
///
/// Unicode encodes decimal digits in contiguous runs from 0 to 9. Some runs are adjacent, so the
/// position in a run is counted modulo 10.
fn decimal_digit(letter: char) -> Option<char> {
    let is_digit = |code: u32| {
        char::from_u32(code)
            .is_some_and(|letter| category(letter) == GeneralCategory::DecimalNumber)
    };
    let code = u32::from(letter);
    if !is_digit(code) {
        return None;
    }
    let before = (1..code).take_while(|back| is_digit(code - back)).count();
    u32::try_from(before % 10)
        .ok()
        .and_then(|digit| char::from_digit(digit, 10))
}

/// Whether a character is invisible: a zero-width character, direction mark, soft hyphen or
/// variation selector.
fn is_invisible(letter: char) -> bool {
    category(letter) == GeneralCategory::Format || matches!(letter, '\u{fe00}'..='\u{fe0f}')
}

fn category(letter: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(letter)
}
