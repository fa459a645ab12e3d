//! Parses `--model-args`: request fields that the user adds. Rejects secrets, because the fields
//! are stored with the run, and fields whose responses this program cannot use.

use harness::provider::Sampling;
use serde_json::{Map, Value, json};

use super::SettingsError;
use super::secret_field::secret_field;

/// A sampling setting: its name in [`Sampling`], its flag, and the request fields that it sets.
type Row = (&'static str, &'static str, &'static [&'static str]);

const SAMPLING: [Row; 6] = [
    ("temperature", "--temperature", &["temperature"]),
    ("seed", "--model-seed", &["seed"]),
    (
        "max_tokens",
        "--max-output-tokens",
        &["max_tokens", "max_completion_tokens", "max_output_tokens"],
    ),
    ("stop", "--stop", &["stop", "stop_sequences"]),
    (
        "effort",
        "--effort",
        &["reasoning_effort", "reasoning", "output_config"],
    ),
    (
        "reasoning_tokens",
        "--reasoning-tokens",
        &["reasoning", "thinking"],
    ),
];

/// Returns the flag of a sampling setting; `--model-args` if it has no flag of its own.
pub(super) fn flag_of(setting: &str) -> &'static str {
    let row = SAMPLING.iter().find(|(name, ..)| *name == setting);
    row.map_or("--model-args", |(_, flag, _)| flag)
}

/// Rejects a field of `--model-args` that a flag also sets, because only one can be sent but both
/// would be recorded.
pub(super) fn reject_fields_set_twice(sampling: &Sampling) -> Result<(), SettingsError> {
    let values = json!(sampling);
    let is_given = |name: &str| match &values[name] {
        Value::Array(texts) => !texts.is_empty(),
        value => !value.is_null(),
    };
    for (_, flag, fields) in SAMPLING.iter().filter(|(name, ..)| is_given(name)) {
        if let Some(field) = fields
            .iter()
            .find(|field| sampling.extra.contains_key(**field))
        {
            return Err(SettingsError::new(format!(
                "--model-args {field}: {flag} sets the same field; remove one of them"
            )));
        }
    }
    Ok(())
}

/// Parses the fields of `--model-args`. If a field contains a secret, the hint names
/// `key_variable`, the variable for the key of a model's server.
pub(super) fn extra(
    given: &[String],
    key_variable: Option<&str>,
) -> Result<Map<String, Value>, SettingsError> {
    let wrong = |name: Option<&str>, problem: &str| {
        // Do not quote the text: the value may be a secret, and so may a text without a name.
        let name = name.map_or(String::new(), |name| format!(" {name}"));
        SettingsError::new(format!(
            "--model-args{name}: {problem}; expected KEY=VALUE, as in top_p=0.9"
        ))
    };
    let secret = |field: String| {
        let variable = key_variable.unwrap_or("OPENAI_API_KEY");
        SettingsError::with_hint(
            format!(
                "--model-args: the field `{field}` contains a secret, but these fields are stored with the run"
            ),
            format!(
                "set {variable} in the environment, or add {variable}=… to a .env file: a key is \
                 sent in the form that its server expects, and is never stored"
            ),
        )
    };
    let mut fields = Map::new();
    for text in given.iter().filter(|text| !text.trim().is_empty()) {
        if text.trim_start().starts_with(['{', '[', '"']) {
            let all: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let mut all = all.iter();
            let field = all.find_map(|(name, value)| secret_field(name, value));
            let problem = "each field must be passed separately, not as a JSON object";
            return Err(field.map_or_else(|| wrong(None, problem), secret));
        }
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| wrong(None, "missing `=`"))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(wrong(None, "missing name before the `=`"));
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        if let Some(field) = secret_field(name, &value) {
            return Err(secret(field));
        }
        if let Some(problem) = unusable_response_reason(name, &value) {
            return Err(wrong(Some(name), problem));
        }
        fields.insert(name.to_owned(), value);
    }
    Ok(fields)
}

/// Returns the reason why this program cannot use the response to a request with this field, if
/// any.
fn unusable_response_reason(name: &str, value: &Value) -> Option<&'static str> {
    match name {
        "n" | "candidate_count" if *value != 1 => Some(
            "only one answer to each request is used, but all of them would be charged; for more attempts at each sample, use --attempts",
        ),
        "background" if *value != false => {
            Some("the server would answer later, but this program does not poll it")
        }
        _ => None,
    }
}
