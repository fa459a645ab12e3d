//! References to models: which forms there are, and which of them name a model.

use harness::nearest;
use harness::provider::http::{endpoint, endpoints};

use super::SettingsError;
use crate::providers::{self, OFFLINE};

/// The forms of references to models on servers.
const SERVER_FORMS: [(&str, &str); 6] = [
    (
        "openai/MODEL",
        "OpenAI, or with --base-url what speaks its format; key: OPENAI_API_KEY",
    ),
    (
        "openai-responses/MODEL",
        "the same through the Responses API",
    ),
    (
        "anthropic/MODEL",
        "Anthropic, or with --base-url what speaks its format; key: ANTHROPIC_API_KEY",
    ),
    (
        "openrouter/VENDOR/MODEL",
        "OpenRouter; key: OPENROUTER_API_KEY",
    ),
    (
        "google/MODEL",
        "Google's OpenAI-compatible endpoint; key: GEMINI_API_KEY",
    ),
    ("ollama/MODEL", "a local Ollama; no key"),
];

/// The forms of a model reference, each with what it stands for.
pub fn model_forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let offline = OFFLINE.into_iter().flat_map(|provider| provider.forms);
    SERVER_FORMS.into_iter().chain(offline.copied())
}

/// Checks that a reference has one of the known forms. `place` says where it stands: `--model`.
///
/// # Errors
/// [`SettingsError`] with the nearest form.
pub(super) fn check(place: &str, given: &str) -> Result<(), SettingsError> {
    let offline = providers::find(given);
    let known = match offline {
        Some((provider, rest)) => (provider.takes)(rest),
        None => http(given).is_some(),
    };
    if known {
        return Ok(());
    }
    let (provider, rest) = split(given);
    let suggestion = if offline.is_some() || endpoint(provider).is_some() {
        None
    } else {
        nearest(provider, names()).map(|provider| format!("{provider}{rest}"))
    };
    let forms = model_forms().map(|(form, _)| form);
    let problem = format!("{place}: unknown model `{given}`");
    let problem = SettingsError::unknown(&problem, suggestion.as_deref(), forms);
    let hint = "`rlm-eval list models` shows what there is";
    Err(SettingsError::with_hint(problem, hint))
}

/// The name by which profiles match a model. A file has none: what its path happens to hold says nothing
/// about the model.
pub(super) fn profile_name(given: &str) -> Option<&str> {
    let is_file = providers::find(given).is_some_and(|(_, rest)| rest.starts_with(':'));
    (!is_file).then_some(given)
}

/// Everything that a reference can begin with.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let http = endpoints().iter().map(|endpoint| endpoint.name.as_str());
    OFFLINE.into_iter().map(|offline| offline.name).chain(http)
}

/// The prefix and the name of a model that runs over HTTP; none for other models.
pub(crate) fn http(given: &str) -> Option<(&str, &str)> {
    let (prefix, model) = given.split_once('/')?;
    (endpoint(prefix).is_some() && !model.trim().is_empty()).then_some((prefix, model))
}

/// The provider, and the rest with its separator.
fn split(given: &str) -> (&str, &str) {
    given.split_at(given.find(['/', ':']).unwrap_or(given.len()))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn knows_the_forms_of_references() {
        let cases = [
            ("scripted", Ok(())),
            ("scripted/s-niah", Ok(())),
            ("scripted:models/a.yaml", Ok(())),
            ("replay:results/run/trajectories", Ok(())),
            ("scripted/", Err("")),
            ("scripted:", Err("")),
            ("replay", Err("")),
            ("replay:", Err("")),
            ("replay/x", Err("")),
            ("", Err("")),
            ("openai/gpt-5", Ok(())),
            ("ollama/qwen3:8b", Ok(())),
            ("openrouter/meta/llama-4", Ok(())),
            ("openai", Err("")),
            ("openai/", Err("")),
            ("openai:gpt-5", Err("")),
            ("antropic/claude", Err("; did you mean `anthropic/claude`?")),
            ("script/echo", Err("; did you mean `scripted/echo`?")),
            ("Scripted", Err("; did you mean `scripted`?")),
            ("reply:a/b", Err("; did you mean `replay:a/b`?")),
        ];
        for (given, expected) in cases {
            let expected = expected.map_err(|end| {
                format!(
                    "--model: unknown model `{given}`{end}{}",
                    if end.is_empty() {
                        "; known: openai/MODEL, openai-responses/MODEL, anthropic/MODEL, openrouter/VENDOR/MODEL, google/MODEL, ollama/MODEL, scripted, scripted/NAME, scripted:FILE, replay:FILE"
                    } else {
                        ""
                    }
                )
            });
            let got = check("--model", given).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{given:?}");
        }
    }
}
