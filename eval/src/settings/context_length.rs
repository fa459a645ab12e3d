//! Parses context lengths: `8k`, `1m`, `64000`.

use super::SettingsError;

/// Parses lengths and removes duplicates. A single blank value, which scripts pass for an unset
/// flag, means none.
///
/// # Errors
/// [`SettingsError`] for any other invalid length, including blanks between commas.
pub(super) fn parse_all(given: &[String]) -> Result<Vec<usize>, SettingsError> {
    if given.len() == 1 && given[0].trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut lengths = Vec::with_capacity(given.len());
    for length in given {
        let length = parse(length)?;
        if !lengths.contains(&length) {
            lengths.push(length);
        }
    }
    Ok(lengths)
}

/// Parses a number of characters, with suffix `k` for thousands or `m` for millions.
///
/// # Errors
/// [`SettingsError`] for any other text.
fn parse(given: &str) -> Result<usize, SettingsError> {
    let malformed = || {
        SettingsError::new(format!(
            "--context-len: invalid length `{given}`: expected a whole number of characters, optionally with k for \
             thousands or m for millions: 8k, 1m, 64000"
        ))
    };
    let text = given.trim().to_ascii_lowercase();
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('m') {
            Some(digits) => (digits, 1_000_000),
            None => (text.as_str(), 1),
        },
    };
    // The number parser would accept a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }
    let number: usize = digits.parse().map_err(|_| malformed())?;
    number.checked_mul(unit).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn parses_lengths() {
        let cases = [
            ("8k", Some(8_000)),
            ("8K", Some(8_000)),
            ("1m", Some(1_000_000)),
            (" 64000 ", Some(64_000)),
            ("0", Some(0)),
            ("", None),
            ("k", None),
            ("8kk", None),
            ("8 k", None),
            ("+8k", None),
            ("-8k", None),
            ("1.5m", None),
            ("8kb", None),
            ("٨k", None),
            ("99999999999999999999", None),
            ("18446744073709551615k", None),
        ];
        for (given, expected) in cases {
            assert_eq!(parse(given).ok(), expected, "{given:?}");
        }
    }
}
