//! Finds secrets among the fields of `--model-args`, which are stored with the run.

use harness::prompt::definition::secrets_in;
use harness::provider::http::redact;
use serde_json::Value;

/// Substrings of the names of secrets, in lowercase without separators.
const SECRET_SUBSTRINGS: [&str; 9] = [
    "apikey",
    "accesskey",
    "privatekey",
    "secret",
    "authorization",
    "password",
    "passwd",
    "credential",
    "bearer",
];

/// Suffixes of secret names, in lowercase without separators. `max_tokens` and `eos_token` are not
/// secrets.
const SECRET_ENDINGS: [&str; 5] = [
    "accesstoken",
    "apitoken",
    "authtoken",
    "refreshtoken",
    "sessiontoken",
];

/// Complete names of secrets, in the same form.
const SECRET_NAMES: [&str; 5] = ["auth", "xauth", "token", "cookie", "jwt"];

/// Last words of the names of secrets whose values are strings: `openai_key`, `pwd`, `hf_token`.
const SECRET_LAST_WORDS: [&str; 5] = ["key", "pwd", "token", "jwt", "signature"];

/// Words before `token` that denote a token of the model's vocabulary: `eos_token`.
const VOCABULARY_TOKENS: [&str; 8] = ["bos", "eos", "pad", "sep", "unk", "mask", "start", "end"];

/// Words before `key` that do not denote a secret: `prompt_cache_key`.
const HARMLESS_KEYS: [&str; 2] = ["cache", "idempotency"];

/// Fields whose member names are free text and do not indicate secrets.
const FREE_TEXT_FIELDS: [&str; 1] = ["logit_bias"];

/// Returns the path of the first field that contains a secret, such as `api_key` or
/// `headers.Authorization`. A secret is recognized by the field's name, by the form of well-known
/// keys, or because it was registered for redaction.
pub(super) fn secret_field(name: &str, value: &Value) -> Option<String> {
    if is_secret(name) || value.is_string() && ends_as_secret(name) {
        return Some(name.to_owned());
    }
    if FREE_TEXT_FIELDS.contains(&name) {
        return None;
    }
    let inside = match value {
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, value)| secret_field(name, value)),
        Value::Array(values) => {
            let mut numbered = values.iter().zip(0..);
            numbered.find_map(|(value, number)| secret_field(&format!("{number}"), value))
        }
        Value::String(text) => {
            let is_ours = || redact(text.clone()) != *text;
            let is_key = is_bearer(text) || !secrets_in(text, &[]).is_empty() || is_ours();
            return is_key.then(|| name.to_owned());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    };
    inside.map(|inside| format!("{name}.{inside}"))
}

/// Whether a text is the value of an authorization header: `Bearer` and a word.
fn is_bearer(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let scheme = words.next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("bearer") && words.next().is_some() && words.next().is_none()
}

fn ends_as_secret(name: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    match words.as_slice() {
        [.., before, last] if last == "key" => !HARMLESS_KEYS.contains(&before.as_str()),
        [.., before, last] if last == "token" => !VOCABULARY_TOKENS.contains(&before.as_str()),
        [.., last] => SECRET_LAST_WORDS.contains(&last.as_str()),
        [] => false,
    }
}

fn is_secret(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    SECRET_NAMES.contains(&plain.as_str())
        || SECRET_ENDINGS.iter().any(|end| plain.ends_with(end))
        || SECRET_SUBSTRINGS.iter().any(|part| plain.contains(part))
}

#[cfg(test)]
mod tests {
    use harness::provider::http::Secret;
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_registered_keys() {
        let text = json!({"me": "by canary.of.no.form"});
        assert_eq!(secret_field("user", &text), None);
        Secret::new("canary.of.no.form");
        assert_eq!(secret_field("user", &text).as_deref(), Some("user.me"));
    }

    #[test]
    fn finds_secrets_by_name_or_form() {
        let rows = [
            ("api_key", json!("x"), Some("api_key")),
            ("API-Key", json!("x"), Some("API-Key")),
            ("x-api-key", json!("x"), Some("x-api-key")),
            ("authorization", json!(1), Some("authorization")),
            ("clientSecret", json!("x"), Some("clientSecret")),
            ("token", json!("x"), Some("token")),
            ("access_token", json!("x"), Some("access_token")),
            (
                "extra_headers",
                json!({"Authorization": "x"}),
                Some("extra_headers.Authorization"),
            ),
            (
                "list",
                json!([1, {"password": "x"}]),
                Some("list.1.password"),
            ),
            (
                "user",
                json!("sk-ant-api03-a1b2c3d4e5f6g7h8i9j0"),
                Some("user"),
            ),
            ("x", json!("Bearer abc"), Some("x")),
            ("x", json!({"h": "bearer abc"}), Some("x.h")),
            ("x", json!("bearer of news"), None),
            ("openai_key", json!("x"), Some("openai_key")),
            ("openaiKey", json!("x"), Some("openaiKey")),
            ("key", json!("x"), Some("key")),
            ("hf_token", json!("x"), Some("hf_token")),
            ("eos_token", json!("x"), None),
            ("eosToken", json!("x"), None),
            ("jwt", json!("x"), Some("jwt")),
            ("X-Auth", json!("x"), Some("X-Auth")),
            ("PWD", json!("x"), Some("PWD")),
            ("db-pwd", json!("x"), Some("db-pwd")),
            ("signature", json!("x"), Some("signature")),
            (
                "extra_body",
                json!({"signing_key": "x"}),
                Some("extra_body.signing_key"),
            ),
            ("cache_key", json!("run"), None),
            ("promptCacheKey", json!("run"), None),
            ("schema", json!({"key": {"type": "string"}}), None),
            ("monkey", json!("x"), None),
            ("logit_bias", json!({"token": 1, "key": 2}), None),
            ("max_tokens", json!(1), None),
            ("max_completion_tokens", json!(1), None),
            ("logit_bias", json!({"50256": -100}), None),
            ("eos_token", json!("</s>"), None),
            ("stop_token_ids", json!([1]), None),
            ("prompt_cache_key", json!("run"), None),
            ("safety_identifier", json!("me"), None),
            ("service_tier", json!("flex"), None),
            (
                "provider",
                json!({"order": ["a"], "allow_fallbacks": false}),
                None,
            ),
        ];
        for (name, value, field) in rows {
            assert_eq!(secret_field(name, &value).as_deref(), field, "{name}");
        }
    }
}
