//! Detects context overflows in servers' errors, according to the table `overflow.yaml`.

use std::sync::LazyLock;

use regex::RegexSet;
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    codes: Vec<String>,
    patterns: Vec<String>,
    rate_limits: RateLimits,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateLimits {
    codes: Vec<String>,
    words: Vec<String>,
}

struct Table {
    file: File,
    patterns: RegexSet,
}

/// The bundled table. A test of this module checks that it parses.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file: File =
        serde_saphyr::from_str(include_str!("../../../overflow.yaml")).unwrap_or_default();
    let patterns = RegexSet::new(&file.patterns).unwrap_or_default();
    Table { file, patterns }
});

/// Length limit that a request exceeds, according to the server's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// The request exceeds the model's context window.
    Overflow,
    /// The request exceeds a rate limit for tokens.
    RateLimit,
    /// The error is not about the length.
    Unsaid,
}

/// Classifies an error by its status, its error object and its body.
pub(super) fn read(status: u16, error: &Value, body: &str) -> Length {
    let Table { file, patterns } = &*TABLE;
    let has_code = |codes: &[String]| {
        let fields = ["code", "type", "status"].map(|name| match &error[name] {
            Value::String(code) => code.clone(),
            Value::Number(code) => code.to_string(),
            _ => String::new(),
        });
        codes.iter().any(|code| fields.contains(code))
    };
    let body = body.to_lowercase();
    let limits = &file.rate_limits;
    let limits_rate =
        has_code(&limits.codes) || limits.words.iter().any(|word| body.contains(word));
    match status {
        413 if limits_rate => Length::RateLimit,
        413 => Length::Overflow,
        400 | 422 | 500 if has_code(&file.codes) || patterns.is_match(&body) => Length::Overflow,
        _ => Length::Unsaid,
    }
}

#[cfg(test)]
mod tests {
    use regex::RegexSet;

    use super::File;

    #[test]
    fn table_is_valid_and_lowercase() {
        let file: File = serde_saphyr::from_str(include_str!("../../../overflow.yaml")).unwrap();
        RegexSet::new(&file.patterns).unwrap();
        let is_lower = |text: &String| *text == text.to_lowercase();
        assert!(!file.codes.is_empty() && file.patterns.iter().all(is_lower));
        assert!(file.rate_limits.words.iter().all(is_lower));
    }
}
