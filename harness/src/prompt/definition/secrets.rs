//! Finds secrets in texts for models: keys in known formats, and known secret values.

use std::fmt;
use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Kind of the secret, for example `an Anthropic key`.
    pub what: &'static str,
    /// Location in the text, in bytes.
    pub range: Range<usize>,
    /// First characters of a key, enough to find it but too few to use it; empty for the value of a
    /// secret variable.
    pub beginning: String,
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        if self.beginning.is_empty() {
            return Ok(());
        }
        write!(f, " (`{}…`)", self.beginning)
    }
}

/// Format of one kind of key: its prefixes, and the number and set of characters after a prefix.
struct Form {
    what: &'static str,
    prefixes: &'static [&'static str],
    length: Range<usize>,
    set: fn(char) -> bool,
}

const ANY: usize = 4_096;

/// Known formats of keys. If several match, the first is reported.
const FORMS: [Form; 13] = [
    form("an Anthropic key", &["sk-ant-"], 20..ANY, dashed),
    form("an OpenRouter key", &["sk-or-"], 20..ANY, dashed),
    form(
        "an OpenAI key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-"],
        20..ANY,
        dashed,
    ),
    form("a key of the form sk-…", &["sk-"], 32..ANY, alphanumeric),
    form("an AWS key", &["AKIA", "ASIA"], 16..17, capital),
    form(
        "a GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        36..ANY,
        alphanumeric,
    ),
    form("a GitHub token", &["github_pat_"], 22..ANY, underscored),
    form("a GitLab token", &["glpat-"], 20..ANY, dashed),
    form("a Google key", &["AIza"], 35..36, dashed),
    form(
        "a Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        20..ANY,
        dashed,
    ),
    form(
        "a Stripe key",
        &["sk_live_", "rk_live_"],
        16..ANY,
        alphanumeric,
    ),
    form("an npm token", &["npm_"], 36..37, alphanumeric),
    form("a Hugging Face token", &["hf_"], 30..ANY, alphanumeric),
];

const fn form(
    what: &'static str,
    prefixes: &'static [&'static str],
    length: Range<usize>,
    set: fn(char) -> bool,
) -> Form {
    Form {
        what,
        prefixes,
        length,
        set,
    }
}

fn alphanumeric(character: char) -> bool {
    character.is_ascii_alphanumeric()
}

fn capital(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

fn underscored(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn dashed(character: char) -> bool {
    underscored(character) || character == '-'
}

/// Minimum bytes of a known secret value; shorter values occur in ordinary words.
const SHORTEST_VALUE: usize = 6;
/// Minimum number of different characters in a key after its prefix. Placeholders such as
/// `sk-ant-xxxxxxxx` have fewer.
const VARIETY: usize = 8;

/// Returns the secrets in a text, in order: keys in known formats, private keys, JSON Web Tokens,
/// and those of `values` with at least 6 bytes. Placeholders are skipped: keys with fewer than 8
/// different characters or without a digit, and keys that contain `EXAMPLE`.
pub fn secrets_in(text: &str, values: &[&str]) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    for value in values.iter().filter(|value| value.len() >= SHORTEST_VALUE) {
        for (start, _) in text.match_indices(value) {
            found.push(Secret {
                what: "the value of a secret variable",
                range: start..start + value.len(),
                beginning: String::new(),
            });
        }
    }
    let footers = private_key_footers(text);
    let mut headers = text.match_indices("-----BEGIN ").peekable();
    while let Some((start, _)) = headers.next() {
        // A footer after another header belongs to that one.
        let end = headers.peek().map_or(text.len(), |(next, _)| *next);
        let header = text[start..].lines().next().unwrap_or_default();
        if header.contains("PRIVATE KEY") {
            let footer = footers.get(footers.partition_point(|end| *end < start));
            let footer = footer.filter(|footer| **footer <= end);
            let unfinished = || start + unfinished_key_length(&text[start..]);
            found.push(Secret {
                what: "a private key",
                range: start..footer.copied().unwrap_or_else(unfinished),
                beginning: "-----BEGIN".to_owned(),
            });
        }
    }
    for (start, _) in text.match_indices("eyJ") {
        found.extend(web_token(text, start));
    }
    for form in &FORMS {
        for prefix in form.prefixes {
            for (start, _) in text.match_indices(prefix) {
                found.extend(key(text, form, prefix, start));
            }
        }
    }
    // Of overlapping matches, keep the first: values and specific formats come before general ones.
    let mut secrets: Vec<Secret> = Vec::new();
    for secret in found {
        let overlaps = |other: &Secret| {
            other.range.start < secret.range.end && secret.range.start < other.range.end
        };
        if !secrets.iter().any(overlaps) {
            secrets.push(secret);
        }
    }
    secrets.sort_by_key(|secret| secret.range.start);
    secrets
}

/// Returns the ends of all lines `-----END … PRIVATE KEY-----`, in order.
fn private_key_footers(text: &str) -> Vec<usize> {
    const EDGE: &str = "-----";
    let footers = text.match_indices("-----END ").filter_map(|(start, mark)| {
        let label_start = start + mark.len();
        let (label, _) = text[label_start..].split_once(EDGE)?;
        let end = label_start + label.len() + EDGE.len();
        label.contains("PRIVATE KEY").then_some(end)
    });
    footers.collect()
}

/// Returns the length of a private key without a footer at the beginning of a text: its header, and
/// the lines after it that can belong to a key.
fn unfinished_key_length(text: &str) -> usize {
    let lines = text.split_inclusive('\n').enumerate();
    let of_key = lines.take_while(|(number, line)| *number == 0 || may_be_of_key(line.trim()));
    let length: usize = of_key.map(|(_, line)| line.len()).sum();
    text[..length].trim_end().len()
}

/// Whether a line can be part of a private key: it is empty, a header or Base64, or contains a long
/// run of Base64.
fn may_be_of_key(line: &str) -> bool {
    /// Minimum characters of a long run. Full lines of keys have at least 64 characters.
    const LONG_RUN: usize = 20;
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
    line.chars().all(is_base64)
        || line
            .split(|c| !is_base64(c))
            .any(|run| run.len() >= LONG_RUN)
        || headers.iter().any(|header| line.starts_with(header))
}

fn key(text: &str, form: &Form, prefix: &str, start: usize) -> Option<Secret> {
    if text[..start].chars().next_back().is_some_and(dashed) {
        return None;
    }
    let body_start = start + prefix.len();
    let body = &text[body_start..];
    let length = body.find(|c| !(form.set)(c)).unwrap_or(body.len());
    let body = &body[..length];
    (form.length.contains(&length) && is_random(body)).then(|| Secret {
        what: form.what,
        range: start..body_start + length,
        beginning: beginning(&text[start..]),
    })
}

/// Matches three base64url parts separated by dots. The first two must begin with `eyJ`, which
/// encodes the beginning of a JSON object.
fn web_token(text: &str, start: usize) -> Option<Secret> {
    if text[..start].chars().next_back().is_some_and(dashed) {
        return None;
    }
    let rest = &text[start..];
    let end = rest.find(|c| !dashed(c) && c != '.').unwrap_or(rest.len());
    let parts: Vec<&str> = rest[..end].split('.').collect();
    let is_token = matches!(parts[..], [head, body, signature, ..]
        if head.len() >= 16 && body.starts_with("eyJ") && body.len() >= 16 && signature.len() >= 16);
    is_token.then(|| Secret {
        what: "a JSON Web Token",
        range: start..start + end,
        beginning: beginning(rest),
    })
}

fn is_random(body: &str) -> bool {
    let mut characters: Vec<char> = body.chars().collect();
    let has_digit = characters.iter().any(char::is_ascii_digit);
    characters.sort_unstable();
    characters.dedup();
    has_digit && characters.len() >= VARIETY && !body.contains("EXAMPLE")
}

fn beginning(text: &str) -> String {
    let shown = (text.chars().count() / 3).min(6);
    text.chars().take(shown).collect()
}
