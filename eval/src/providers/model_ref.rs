//! Parses model references such as `openai/NAME`, `scripted:FILE` and `replay:PATH`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use harness::nearest;
use harness::provider::http::{Endpoint, endpoint, endpoints};
use serde::{Serialize, Serializer};

use super::{Offline, replay, scripted};

/// All providers without a server, in the order of help and errors.
static OFFLINE: [&Offline; 2] = [&scripted::PROVIDER, &replay::PROVIDER];

/// Returns the forms of a model reference, each with its meaning.
pub fn model_forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let servers = endpoints().iter();
    let servers = servers.map(|server| (server.form.as_str(), server.description.as_str()));
    let offline = OFFLINE.iter().flat_map(|provider| provider.forms);
    servers.chain(offline.copied())
}

/// Returns the provider names with which a reference can start.
pub fn names() -> impl Iterator<Item = &'static str> {
    let http = endpoints().iter().map(|endpoint| endpoint.name.as_str());
    OFFLINE.iter().map(|offline| offline.name).chain(http)
}

/// A valid model reference.
#[derive(Clone)]
pub struct ModelRef {
    text: String,
    provider: Provider,
    /// End of the provider's name in the text, in bytes.
    end: usize,
}

#[derive(Clone, Copy)]
enum Provider {
    Server(&'static Endpoint),
    Offline(&'static Offline),
}

/// Target of a reference.
pub enum Named<'a> {
    /// A model on a server, with its name there.
    OnServer(&'static Endpoint, &'a str),
    /// A provider without a server, with the text after its name.
    Offline(&'static Offline, &'a str),
}

impl ModelRef {
    /// Returns the reference as typed, without surrounding whitespace.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the path of the recording, if the reference replays one.
    pub fn played_back(&self) -> Option<&Path> {
        match self.named() {
            Named::Offline(provider, rest) if provider.plays_back => {
                Some(Path::new(rest.strip_prefix(':').unwrap_or(rest)))
            }
            _ => None,
        }
    }

    /// Returns the target of the reference.
    pub fn named(&self) -> Named<'_> {
        let rest = &self.text[self.end..];
        match self.provider {
            Provider::Server(endpoint) => Named::OnServer(endpoint, &rest[1..]),
            Provider::Offline(provider) => Named::Offline(provider, rest),
        }
    }

    /// Returns the server and the model's name there; `None` for models without a server.
    pub fn on_server(&self) -> Option<(&'static Endpoint, &str)> {
        match self.named() {
            Named::OnServer(endpoint, model) => Some((endpoint, model)),
            Named::Offline(..) => None,
        }
    }

    /// Returns the name of the provider.
    pub fn provider(&self) -> &str {
        &self.text[..self.end]
    }

    /// Returns everything about the reference that can change an answer; for a model on a server,
    /// the reference itself. `benchmark` resolves the reference `scripted`.
    pub fn identity(&self, benchmark: &str) -> String {
        match self.named() {
            Named::OnServer(..) => self.text.clone(),
            Named::Offline(provider, rest) => (provider.identity)(rest, benchmark),
        }
    }
}

/// Returns the name that profiles are matched against, whether or not the model exists. `None` for
/// files, because their paths do not identify a model.
pub fn profile_name(model: &str) -> Option<&str> {
    let (name, rest) = split(model);
    let is_file = offline(name).is_some() && rest.starts_with(':');
    (!is_file).then_some(model)
}

/// Splits a reference into the provider's name and the rest, which starts with the separator.
fn split(given: &str) -> (&str, &str) {
    given.split_at(given.find(['/', ':']).unwrap_or(given.len()))
}

fn offline(name: &str) -> Option<&'static Offline> {
    let mut all = OFFLINE.iter().copied();
    all.find(|offline| offline.name == name)
}

/// A text that is not a model reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model; {}", expected(given))]
pub struct UnknownModel {
    given: String,
}

impl UnknownModel {
    /// Hint that commands print with the error.
    pub const HINT: &str = "`rlm-eval list models` lists the valid names";
}

/// Suggests the closest valid reference, or lists all forms.
fn expected(given: &str) -> String {
    let (name, rest) = split(given);
    let is_known = names().any(|known| known == name);
    if let Some(name) = nearest(name, names()).filter(|_| !is_known) {
        return format!("did you mean `{name}{rest}`?");
    }
    if let Some(endpoint) = endpoints().iter().find(|one| one.is_known_by(given)) {
        return format!("did you mean `{}/{given}`?", endpoint.name);
    }
    let forms: Vec<&str> = model_forms().map(|(form, _)| form).collect();
    format!("known: {}", forms.join(", "))
}

impl FromStr for ModelRef {
    type Err = UnknownModel;

    fn from_str(given: &str) -> Result<Self, UnknownModel> {
        let text = given.trim().to_owned();
        let (name, rest) = split(&text);
        let end = name.len();
        let is_model = |_: &_| rest.starts_with('/') && !rest[1..].trim().is_empty();
        let server = endpoint(name).filter(is_model).map(Provider::Server);
        let takes = |provider: &&Offline| (provider.takes)(rest);
        let offline = offline(name).filter(takes).map(Provider::Offline);
        match server.or(offline) {
            Some(provider) => Ok(Self {
                text,
                provider,
                end,
            }),
            None => Err(UnknownModel { given: text }),
        }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl PartialEq for ModelRef {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ModelRef {}

/// Serializes the reference as typed.
impl Serialize for ModelRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::ModelRef;

    #[test]
    fn parses_model_references_and_suggests_corrections() {
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
            ("gpt-5", Err("; did you mean `openai/gpt-5`?")),
            ("o3", Err("; did you mean `openai/o3`?")),
            (
                "claude-opus-4-6",
                Err("; did you mean `anthropic/claude-opus-4-6`?"),
            ),
            (
                "gemini-2.5-pro",
                Err("; did you mean `google/gemini-2.5-pro`?"),
            ),
            ("llama-4", Err("")),
            ("Scripted", Err("; did you mean `scripted`?")),
            ("reply:a/b", Err("; did you mean `replay:a/b`?")),
        ];
        for (given, expected) in cases {
            let expected = expected.map(|()| given.to_owned()).map_err(|end| {
                let known = "; known: openai/MODEL, openai-responses/MODEL, anthropic/MODEL, openrouter/VENDOR/MODEL, google/MODEL, ollama/MODEL, vllm/MODEL, llama.cpp/MODEL, lm-studio/MODEL, litellm/MODEL, azure/DEPLOYMENT, bedrock/MODEL, vertex/PUBLISHER/MODEL, scripted, scripted/NAME, scripted:FILE, replay:FILE";
                format!("unknown model{}", if end.is_empty() { known } else { end })
            });
            let got = given.parse::<ModelRef>();
            let got = got.map(|model| model.to_string());
            assert_eq!(
                got.map_err(|error| error.to_string()),
                expected,
                "{given:?}"
            );
        }
    }
}
