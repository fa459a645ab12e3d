//! Scripted models, whose replies come from rules in a data file. They need no network.

mod compute;
mod rules;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::model::lenient_json;
use crate::text::{hint_for_unknown, read_text_file, sha256_hex};
use async_trait::async_trait;

use super::{CallEvent, CallSink, Estimate, Forecast, Provider, ProviderError, Request, Response};

use compute::RuleSessions;
use rules::{CallEntry, Reply, ReplyCalls, ReplyText, Script};

/// A model that replies according to rules.
pub struct Scripted {
    name: String,
    script: Script,
    computer: RuleSessions,
}

/// Error when opening a scripted model: its name is unknown, or its file is unreadable or invalid.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ScriptedError(String);

/// Scripted models by name. The harness does not bundle any.
#[derive(Debug, Clone, Default)]
pub struct ScriptLibrary {
    scripts: BTreeMap<String, String>,
}

impl ScriptLibrary {
    /// Returns the names and descriptions of all models, sorted by name. The description of an
    /// invalid model is empty.
    pub fn described(&self) -> Vec<(String, String)> {
        let described = |(name, text): (&String, &String)| {
            let description = rules::parse(text)
                .map(|script| script.description)
                .unwrap_or_default();
            (name.clone(), description)
        };
        self.scripts.iter().map(described).collect()
    }

    /// Returns the SHA-256 of a model's YAML text in hex.
    pub fn digest(&self, name: &str) -> Option<String> {
        Some(sha256_hex(self.scripts.get(name)?))
    }

    /// Opens the model with this name.
    ///
    /// # Errors
    /// Returns [`ScriptedError`] with the most similar name, or with rule and field.
    pub fn open(&self, name: &str) -> Result<Scripted, ScriptedError> {
        let Some(text) = self.scripts.get(name) else {
            let known: Vec<String> = self.scripts.keys().cloned().collect();
            let hint = hint_for_unknown(name, &known);
            return Err(ScriptedError(format!(
                "unknown scripted model `{name}`{hint}"
            )));
        };
        Scripted::parse(format!("scripted/{name}"), name, text)
    }
}

/// Creates a library from names and YAML texts.
impl FromIterator<(String, String)> for ScriptLibrary {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(scripts: I) -> Self {
        let scripts = scripts.into_iter().collect();
        Self { scripts }
    }
}

impl Scripted {
    /// Opens a model from a YAML file.
    ///
    /// # Errors
    /// Returns [`ScriptedError`] with file, rule and field.
    pub fn from_file(path: &Path) -> Result<Self, ScriptedError> {
        let name = path.display().to_string();
        let text = read_text_file(path).map_err(|error| {
            ScriptedError(format!("cannot read the scripted model {name}: {error}"))
        })?;
        Self::parse(name.clone(), &name, &text)
    }

    /// Parses a model. `origin` is the file or the name in the library, for errors.
    fn parse(name: String, origin: &str, text: &str) -> Result<Self, ScriptedError> {
        let script =
            rules::parse(text).map_err(|problem| ScriptedError(format!("{origin}: {problem}")))?;
        Ok(Self {
            name,
            script,
            computer: RuleSessions::default(),
        })
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let caller = &request.caller;
        if self.script.latency_ms > 0 {
            let forecast = self.forecast(request);
            let mut given_up = AbandonedReply(forecast.map(|forecast| (forecast.likely, calls)));
            tokio::time::sleep(Duration::from_millis(self.script.latency_ms)).await;
            given_up.0 = None;
        }
        let Some(rule) = self.script.rule(request) else {
            return Err(ProviderError::NoRule {
                script: self.name.clone(),
                role: caller.role,
                depth: caller.depth,
                turn: caller.turn,
                mode: caller.mode,
            });
        };
        let failed = |reason| ProviderError::ScriptFailed {
            script: self.name.clone(),
            reason,
        };
        let newest = request.messages.last().map(|message| message.all_text());
        let newest = newest.unwrap_or_default();
        let (said, called) = match &rule.reply {
            Reply::Text(said, called) => (said, called),
            Reply::Error(error) => return Err(error.of(&self.name)),
        };
        let text = match said {
            ReplyText::Text(text) => text.clone(),
            ReplyText::Compute(code) => self.computer.run(code, &newest).await.map_err(failed)?,
        };
        let computed;
        let calls = match called {
            ReplyCalls::Calls(calls) => calls,
            ReplyCalls::Compute(code) => {
                let list = self.computer.run(code, &newest).await.map_err(failed)?;
                computed = lenient_json::from_str::<Vec<CallEntry>>(&list).map_err(|error| {
                    failed(format!("it did not return a list of calls: {error}"))
                })?;
                &computed
            }
        };
        let turn = caller.turn;
        let tool_calls = calls
            .iter()
            .enumerate()
            .map(|(index, call)| call.to_call(turn, index));
        Ok(Response {
            text,
            tool_calls: tool_calls.collect(),
            reasoning: rule.reasoning.clone(),
            reasoning_signature: rule.reasoning.clone(),
            usage: rule.usage,
            cost_usd: rule.cost_usd,
            served_model: Some(self.name.clone()),
            ..Response::default()
        })
    }

    /// Returns the usage and cost that the matching rule states.
    fn forecast(&self, request: &Request) -> Option<Forecast> {
        let rule = self.script.rule(request)?;
        let (usage, cost_usd) = (rule.usage, rule.cost_usd);
        (usage.is_some() || cost_usd.is_some()).then(|| {
            let likely = Estimate {
                usage: usage.unwrap_or_default(),
                cost_usd,
            };
            Forecast {
                likely,
                most: likely,
            }
        })
    }
}

/// Guard of a reply during its latency. If it is dropped before the latency has passed, the reply
/// is billed like an abandoned request to a server.
struct AbandonedReply<'a>(Option<(Estimate, &'a dyn CallSink)>);

impl Drop for AbandonedReply<'_> {
    fn drop(&mut self) {
        if let Some((Estimate { usage, cost_usd }, calls)) = self.0.take() {
            calls.note(CallEvent::Billed { usage, cost_usd });
        }
    }
}
