//! Decodes JSON whose strings may contain unpaired surrogates, which models and JavaScript produce.
//!
//! A Rust string contains only Unicode scalar values, so `serde_json` rejects an unpaired escape
//! such as `"\ud83d"`. This module replaces unpaired surrogates with U+FFFD.
//!
//! A server may also split a surrogate pair across two events of a stream. [`piece`] therefore
//! encodes surrogates as marks inside the decoded strings. After the strings of several pieces have
//! been concatenated, [`join`] decodes the marks.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// First character of a mark; four hex digits of a UTF-16 code unit follow. It is a noncharacter,
/// which texts rarely contain. If a text contains it, it is itself encoded as a mark, so that
/// nothing is lost.
const MARK: char = '\u{fdd0}';

/// Number of hex digits of an escape or a mark.
const DIGITS: usize = 4;

/// Decodes JSON. An unpaired surrogate becomes U+FFFD.
///
/// # Errors
/// Returns the errors of [`serde_json::from_str`].
pub fn from_str<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(&valid(text))
}

/// Decodes JSON in UTF-8 like [`from_str`].
///
/// # Errors
/// Returns the errors of [`serde_json::from_slice`].
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(_) => serde_json::from_slice(bytes),
    }
}

/// Decodes the arguments of a tool call. Accepts common mistakes of models: an object that is
/// encoded twice, is in a code fence, or has raw line breaks in its strings.
///
/// # Errors
/// Returns the error of [`from_str`] for the unmodified text.
pub fn arguments(text: &str) -> serde_json::Result<Value> {
    let decode = |text: &str| {
        let inner = without_fence(text).unwrap_or(text);
        let is_container = |value: &Value| value.is_object() || value.is_array();
        let escaped = || from_str(&escape_controls(inner));
        from_str(inner)
            .or_else(|_| escaped())
            .ok()
            .filter(is_container)
    };
    match from_str(text) {
        Ok(Value::String(inner)) => Ok(decode(&inner).unwrap_or(Value::String(inner))),
        Ok(value) => Ok(value),
        Err(error) => match from_str(&escape_controls(text)) {
            Ok(Value::String(inner)) => Ok(decode(&inner).unwrap_or(Value::String(inner))),
            _ => decode(text).ok_or(error),
        },
    }
}

/// Returns the content of the code fence that encloses the whole text, or `None`.
pub fn without_fence(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let inner = text.trim().strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    let (_language, content) = inner.split_once('\n')?;
    (!content.contains(FENCE)).then(|| content.trim_end_matches(['\r', '\n']))
}

/// Escapes control characters in the strings of a JSON text.
fn escape_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let (mut in_string, mut after_backslash) = (false, false);
    for char in text.chars() {
        if in_string && char < ' ' {
            match char {
                '\n' => escaped.push_str(r"\n"),
                '\r' => escaped.push_str(r"\r"),
                '\t' => escaped.push_str(r"\t"),
                other => escaped.push_str(&format!(r"\u{:04x}", u32::from(other))),
            }
            after_backslash = false;
            continue;
        }
        in_string ^= char == '"' && !after_backslash;
        after_backslash = in_string && char == '\\' && !after_backslash;
        escaped.push(char);
    }
    escaped
}

/// Returns a JSON text in which every escape of an unpaired surrogate is replaced with `\ufffd`.
/// Other text is unchanged.
pub fn valid(text: &str) -> Cow<'_, str> {
    if !may_contain_surrogate(text) {
        return Cow::Borrowed(text);
    }
    replace_escapes(text, |unit| {
        is_surrogate(unit).then(|| r"\ufffd".to_owned())
    })
}

/// Decodes a piece of a stream. An unpaired surrogate becomes a mark, which [`join`] and
/// [`join_text`] decode.
///
/// # Errors
/// Returns the errors of [`serde_json::from_str`].
pub fn piece(text: &str) -> serde_json::Result<Value> {
    let has_mark = text.contains(MARK) || text.to_ascii_lowercase().contains(r"\ufdd0");
    if !has_mark && !may_contain_surrogate(text) {
        return serde_json::from_str(text);
    }
    let own = u32::from(MARK);
    let marked = text.replace(MARK, &format!("\\u{own:04x}"));
    let marked = replace_escapes(&marked, |unit| {
        let is_own = u32::from(unit) == own;
        (is_own || is_surrogate(unit)).then(|| format!("{MARK}{unit:04x}"))
    });
    serde_json::from_str(&marked)
}

/// Decodes the marks in all strings and keys of a value assembled from [`piece`]s. A surrogate that
/// is still unpaired becomes U+FFFD.
#[must_use]
pub fn join(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(match join_text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(joined) => joined,
        }),
        Value::Array(all) => Value::Array(all.into_iter().map(join).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (join_text(&name).into_owned(), join(value)))
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}

/// Decodes the marks in one string, as [`join`] does.
pub fn join_text(text: &str) -> Cow<'_, str> {
    let mut parts = text.split(MARK);
    let first = parts.next().unwrap_or_default();
    let mut joined = String::new();
    let mut units = Vec::new();
    let mut is_marked = false;
    for part in parts {
        if !is_marked {
            is_marked = true;
            joined.push_str(first);
        }
        let digits = part.get(..DIGITS);
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        // A `MARK` without digits is a literal character of the text.
        let (unit, rest) = match unit {
            Some(unit) => (unit, &part[DIGITS..]),
            None => (0xfdd0, part),
        };
        units.push(unit);
        if !rest.is_empty() {
            joined.push_str(&String::from_utf16_lossy(&units));
            units.clear();
            joined.push_str(rest);
        }
    }
    if !is_marked {
        return Cow::Borrowed(text);
    }
    joined.push_str(&String::from_utf16_lossy(&units));
    Cow::Owned(joined)
}

/// Whether the text may contain an escaped surrogate. This quick check avoids copying most texts.
fn may_contain_surrogate(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        if let [b'u', b'd' | b'D', ..] = &rest[at + 1..] {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

const fn is_surrogate(unit: u16) -> bool {
    matches!(unit, 0xd800..=0xdfff)
}

/// Returns the UTF-16 code unit of the `\uXXXX` escape at the beginning of a text.
fn escaped(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..DIGITS)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Replaces each `\uXXXX` escape outside a surrogate pair with the result of `replacement` for its
/// code unit, if any.
fn replace_escapes(text: &str, replacement: impl Fn(u16) -> Option<String>) -> Cow<'_, str> {
    const LENGTH: usize = DIGITS + 2;
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let Some(unit) = escaped(&text[at..]) else {
            // Skip an escape of one character, which may be a backslash.
            let next = text[at + 1..].chars().next().map_or(0, char::len_utf8);
            at += 1 + next;
            continue;
        };
        let is_high = matches!(unit, 0xd800..=0xdbff);
        let next = escaped(&text[at + LENGTH..]);
        if is_high && next.is_some_and(|next| matches!(next, 0xdc00..=0xdfff)) {
            at += 2 * LENGTH;
            continue;
        }
        if let Some(replacement) = replacement(unit) {
            replaced.push_str(&text[copied..at]);
            replaced.push_str(&replacement);
            copied = at + LENGTH;
        }
        at += LENGTH;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(&text[copied..]);
    Cow::Owned(replaced)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{arguments, from_str, join, piece};

    #[test]
    fn decodes_arguments_leniently() {
        let rows = [
            (r#"{"a": "b"}"#, Some(r#"{"a":"b"}"#)),
            (r#""{\"a\": \"b\"}""#, Some(r#"{"a":"b"}"#)),
            ("```json\n{\"a\": \"b\"}\n```", Some(r#"{"a":"b"}"#)),
            (r#""```json\n{\"a\": \"b\"}\n```""#, Some(r#"{"a":"b"}"#)),
            ("{\"a\":\n \"b\n\tc\"}", Some(r#"{"a":"b\n\tc"}"#)),
            ("{\"a\": \"b \\\" c\n\"}", Some(r#"{"a":"b \" c\n"}"#)),
            ("\"{\\\"a\\\": \\\"b\n\\\"}\"", Some(r#"{"a":"b\n"}"#)),
            (r#""b""#, Some(r#""b""#)),
            (r#""5""#, Some(r#""5""#)),
            ("[1]", Some("[1]")),
            ("{\"a\": ", None),
            ("f()", None),
        ];
        for (text, expected) in rows {
            let got = arguments(text).ok().map(|value| value.to_string());
            assert_eq!(got.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn replaces_only_unpaired_surrogates() {
        let rows = [
            (r#""a""#, "a"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\uDE80""#, "\u{fffd}"),
            (r#""\ud83d\ude80""#, "🚀"),
            (r#""\ude80\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude80 \ude80""#, "\u{fffd}🚀 \u{fffd}"),
            (r#""\ud83d\n\ud83dx""#, "\u{fffd}\n\u{fffd}x"),
            (r#""\\ud83d""#, r"\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\ufdd0d83d""#, "\u{fdd0}d83d"),
            ("\"\u{fdd0}d83d \u{fdd0}\"", "\u{fdd0}d83d \u{fdd0}"),
        ];
        for (json, text) in rows {
            assert_eq!(from_str::<String>(json).unwrap(), text, "{json}");
            assert_eq!(join(piece(json).unwrap()), Value::from(text), "{json}");
        }
        let keys = r#"{"\ud83d": ["\ud83d"]}"#;
        let wanted = serde_json::json!({"\u{fffd}": ["\u{fffd}"]});
        assert_eq!(from_str::<Value>(keys).unwrap(), wanted);
        assert_eq!(join(piece(keys).unwrap()), wanted);
        for wrong in [r#""\ud83""#, r#""\ud83d"#, r#""\ud83d\u""#] {
            assert!(from_str::<Value>(wrong).is_err(), "{wrong}");
            assert!(piece(wrong).is_err(), "{wrong}");
        }
    }
}
