//! Scripted models: replies chosen by rules in a plain data file, so that everything runs without a network.

mod rules;

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Event, Session};

use crate::prompt::{did_you_mean, nearest};

use super::{CallSink, Provider, ProviderError, Request, Response};
use sha2::{Digest, Sha256};

use rules::{CallEntry, Called, Reply, Said, Script};

/// The bundled scripted models: name and file.
const BUNDLED: [(&str, &str); 16] = [
    ("aime", include_str!("../../scripted/aime.yaml")),
    ("arc", include_str!("../../scripted/arc.yaml")),
    (
        "browsecomp-plus",
        include_str!("../../scripted/browsecomp-plus.yaml"),
    ),
    ("judge", include_str!("../../scripted/judge.yaml")),
    (
        "longbench-codeqa",
        include_str!("../../scripted/longbench-codeqa.yaml"),
    ),
    (
        "longbench-v2",
        include_str!("../../scripted/longbench-v2.yaml"),
    ),
    ("oolong", include_str!("../../scripted/oolong.yaml")),
    (
        "oolong-pairs",
        include_str!("../../scripted/oolong-pairs.yaml"),
    ),
    (
        "ruler-multi-key",
        include_str!("../../scripted/ruler-multi-key.yaml"),
    ),
    (
        "ruler-multi-query",
        include_str!("../../scripted/ruler-multi-query.yaml"),
    ),
    (
        "ruler-multi-value",
        include_str!("../../scripted/ruler-multi-value.yaml"),
    ),
    (
        "ruler-variable-tracking",
        include_str!("../../scripted/ruler-variable-tracking.yaml"),
    ),
    ("s-niah", include_str!("../../scripted/s-niah.yaml")),
    (
        "s-niah-flawed",
        include_str!("../../scripted/s-niah-flawed.yaml"),
    ),
    ("webapp", include_str!("../../scripted/webapp.yaml")),
    ("webnav", include_str!("../../scripted/webnav.yaml")),
];

/// A model that answers by rules.
pub struct Scripted {
    name: String,
    script: Script,
}

/// Why there is no such scripted model.
#[derive(Debug, thiserror::Error)]
pub enum ScriptedError {
    /// No bundled model has this name.
    #[error("unknown scripted model `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    Unknown {
        /// As given.
        name: String,
        /// The name it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: Vec<String>,
    },
    /// The file cannot be read.
    #[error("cannot read the scripted model {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is wrong.
    #[error("{origin}: {problem}")]
    Invalid {
        /// The file or bundled name.
        origin: String,
        /// What is wrong, where, and what would be right.
        problem: String,
    },
}

/// Names and descriptions of the bundled scripted models.
pub fn scripted_models() -> Vec<(String, String)> {
    let described = |(name, text): &(&str, &str)| {
        let description = rules::parse(name, text)
            .map(|script| script.description)
            .unwrap_or_default();
        ((*name).to_owned(), description)
    };
    BUNDLED.iter().map(described).collect()
}

/// SHA-256 (hex) of a bundled model's file.
pub fn scripted_digest(name: &str) -> Option<String> {
    let (_, text) = BUNDLED.iter().find(|(bundled, _)| *bundled == name)?;
    Some(
        Sha256::digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

impl Scripted {
    /// A bundled model.
    ///
    /// # Errors
    /// [`ScriptedError::Unknown`].
    pub fn bundled(name: &str) -> Result<Self, ScriptedError> {
        let Some((_, text)) = BUNDLED.iter().find(|(bundled, _)| *bundled == name) else {
            let known: Vec<String> = BUNDLED
                .iter()
                .map(|(bundled, _)| (*bundled).to_owned())
                .collect();
            let nearest = nearest(name, known.iter().map(String::as_str));
            return Err(ScriptedError::Unknown {
                name: name.to_owned(),
                nearest,
                known,
            });
        };
        Ok(Self {
            name: format!("scripted/{name}"),
            script: rules::parse(name, text)?,
        })
    }

    /// A model of the user's own: a YAML file like the bundled ones.
    ///
    /// # Errors
    /// [`ScriptedError`] with file, rule and field.
    pub fn from_file(path: &Path) -> Result<Self, ScriptedError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptedError::Read {
            path: path.to_owned(),
            source,
        })?;
        let name = path.display().to_string();
        let script = rules::parse(&name, &text)?;
        Ok(Self { name, script })
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn complete(
        &self,
        request: &Request,
        _calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let caller = &request.caller;
        if self.script.latency_ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.script.latency_ms)).await;
        }
        let Some(answer) = self.script.answer(request) else {
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
        let (said, called) = match &answer.reply {
            Reply::Said(said, called) => (said, called),
            Reply::Error(error) => return Err(error.of(&self.name)),
        };
        let text = match said {
            Said::Text(text) => text.clone(),
            Said::Compute(code) => compute(code, &newest).await.map_err(failed)?,
        };
        let computed;
        let calls = match called {
            Called::Calls(calls) => calls,
            Called::Compute(code) => {
                let list = compute(code, &newest).await.map_err(failed)?;
                computed = serde_json::from_str::<Vec<CallEntry>>(&list)
                    .map_err(|error| failed(format!("it returned no list of calls: {error}")))?;
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
            reasoning: answer.reasoning.clone(),
            carry: answer.reasoning.clone(),
            usage: answer.usage,
            cost_usd: answer.cost_usd,
            served_model: Some(self.name.clone()),
        })
    }
}

/// Runs a rule's own code on the newest message; what it returns is the reply.
async fn compute(code: &str, message: &str) -> Result<String, String> {
    let session = Session::in_thread(Config::default())
        .await
        .map_err(|error| error.to_string())?;
    let info = AgentInfo {
        depth: 0,
        max_depth: 0,
        max_iterations: 1,
        lineage: Vec::new(),
        invocation_id: "scripted".to_owned(),
        parent_id: None,
    };
    let mut repl = session.open(None, Context::text(message), info);
    repl.run(code, 1);
    loop {
        match repl.next().await.map_err(|error| error.to_string())? {
            Event::Called(call) => {
                repl.settle(call.id, Err("a scripted model has no models".to_owned()));
            }
            Event::CallContext { .. } | Event::Invoked(_) => {}
            Event::Finished(outcome) => {
                let error = outcome.error.map(|error| error.message);
                return outcome
                    .value
                    .ok_or_else(|| error.unwrap_or_else(|| "it returned nothing".to_owned()));
            }
        }
    }
}
