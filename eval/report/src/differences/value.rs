//! Formats parts of fingerprints as short strings: names if available, otherwise truncated hashes.

use model::excerpt;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::slot::{Slot, is_empty};

/// Number of hash characters shown.
const HASH: usize = 12;

/// Maximum characters of a formatted value.
const LONGEST: usize = 80;

/// Text for an unset value: null, empty or missing.
const NOTHING: &str = "none";

/// Text for a part that the program omits at its default.
const DEFAULT: &str = "default";

/// Text for a part that the program did not record.
pub(super) const NOT_RECORDED: &str = "not recorded";

/// Formats the values of one row in the shortest form that keeps different values distinct.
pub(super) fn texts(values: &[Slot]) -> Vec<Option<String>> {
    let of = |text: &dyn Fn(&Value) -> String| -> Vec<Option<String>> {
        let one = |slot: &Slot| match slot {
            Slot::Unused => None,
            Slot::NotRecorded => Some(NOT_RECORDED.to_owned()),
            Slot::Default => Some(DEFAULT.to_owned()),
            Slot::Missing => Some(NOTHING.to_owned()),
            Slot::Value(value) => Some(text(value)),
        };
        values.iter().map(one).collect()
    };
    let forms: [&dyn Fn(&Value) -> String; 2] = [&short, &with_digest];
    forms
        .into_iter()
        .map(of)
        .find(|texts| are_distinct(values, texts))
        // The digest comes first, because tables truncate long values.
        .unwrap_or_else(|| of(&|value| format!("{}: {}", digest(value), short(value))))
}

/// Formats a value as a digest, for a part with too many differing members to show.
pub(super) fn digest_text(slot: Slot) -> Option<String> {
    match slot {
        Slot::Unused => None,
        Slot::NotRecorded => Some(NOT_RECORDED.to_owned()),
        Slot::Default => Some(DEFAULT.to_owned()),
        Slot::Missing => Some(NOTHING.to_owned()),
        _ if slot.is_empty() => Some(NOTHING.to_owned()),
        Slot::Value(value) => Some(digest(value)),
    }
}

/// Shortens the hashes in two different texts, if the texts still differ afterwards.
pub(crate) fn shortened_pair(texts: [&str; 2]) -> [String; 2] {
    let short = texts.map(shortened);
    if short[0] == short[1] {
        texts.map(str::to_owned)
    } else {
        short
    }
}

/// Formats the value of a part that is the same in all runs.
pub(super) fn in_effect(name: &str, value: &Value) -> String {
    let Value::Object(members) = value else {
        return short(value);
    };
    if name != "prompt_layers" {
        return short(value);
    }
    if let Some(definition) = members.get("definition").filter(|value| !value.is_null()) {
        return with_digest(definition);
    }
    let set = members.iter().filter(|(_, value)| !is_empty(value));
    let set: Vec<&str> = set.map(|(name, _)| name.as_str()).collect();
    if set.is_empty() {
        NOTHING.to_owned()
    } else {
        set.join(" + ").replace('_', " ")
    }
}

/// Returns the display name of a part.
pub(super) fn label(part: &str) -> String {
    let part = match part.strip_prefix("prompt_layers") {
        Some(rest) => format!(
            "custom prompt{}",
            rest.strip_prefix(".definition").unwrap_or(rest)
        ),
        None => part.to_owned(),
    };
    part.replace('_', " ")
}

fn are_distinct(values: &[Slot], texts: &[Option<String>]) -> bool {
    let rows: Vec<_> = values.iter().zip(texts).collect();
    rows.iter().enumerate().all(|(index, (value, text))| {
        rows[..index].iter().all(|(other, other_text)| {
            value == other || text != other_text || value.is_empty() && other.is_empty()
        })
    })
}

fn short(value: &Value) -> String {
    excerpt(&text(value, &|name, _| name.to_owned()), LONGEST)
}

/// Formats a value with the hashes of its files.
fn with_digest(value: &Value) -> String {
    let text = text(value, &|name, whole| {
        let of = ["sha256", "version", "identity"];
        match of.iter().find_map(|key| whole.get(*key)) {
            Some(Value::String(digest)) => format!("{name}@{}", short_hash(last_hash(digest))),
            Some(other) => format!("{name}@{}", digest(other)),
            None => format!("{name}@{}", digest(whole)),
        }
    });
    excerpt(&text, LONGEST)
}

fn text(value: &Value, named: &dyn Fn(&str, &Value) -> String) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        _ if is_empty(value) => NOTHING.to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => shortened(text),
        Value::Array(items) => {
            let of = |item: &Value| match item {
                Value::Array(words) => {
                    let words: Vec<String> = words.iter().map(|word| text(word, named)).collect();
                    words.join(" ")
                }
                item => text(item, named),
            };
            let items: Vec<String> = items.iter().map(of).collect();
            items.join(" + ")
        }
        Value::Object(members) => match members.get("name") {
            Some(Value::String(name)) => named(name, value),
            _ => shortened(&value.to_string()),
        },
    }
}

/// Shortens the hashes in a text.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars() {
        if c.is_ascii_hexdigit() {
            run.push(c);
        } else {
            out += short_hash(&run);
            run.clear();
            out.push(c);
        }
    }
    out += short_hash(&run);
    out
}

/// Shortens a sequence of hex digits if it is too long to be a number or a word.
fn short_hash(digits: &str) -> &str {
    match digits.len() {
        32.. => digits.get(..HASH).unwrap_or(digits),
        _ => digits,
    }
}

/// Removes everything before the digits in `scripted:sha256:…`.
fn last_hash(digest: &str) -> &str {
    digest.rsplit(':').next().unwrap_or(digest)
}

fn digest(value: &Value) -> String {
    let mut hash = hex::encode(Sha256::digest(value.to_string()));
    hash.truncate(HASH);
    hash
}
