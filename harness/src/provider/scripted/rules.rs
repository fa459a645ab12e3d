//! The file format of scripted models: rules, the first that fits gives the reply.

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::ScriptedError;
use crate::event::Role;
use crate::prompt::PromptMode;
use crate::provider::Caller;

/// A scripted model.
pub(super) struct Script {
    pub description: String,
    /// Milliseconds that each reply takes.
    pub latency_ms: u64,
    rules: Vec<Rule>,
}

struct Rule {
    when: When,
    samples: Option<GlobSet>,
    reply: Reply,
}

/// What a rule answers.
#[derive(Debug)]
pub(super) enum Reply {
    /// This text.
    Text(String),
    /// What this JavaScript returns; it finds the newest message in `context`.
    Compute(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    description: String,
    #[serde(default)]
    latency_ms: u64,
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    #[serde(default)]
    when: When,
    reply: Option<String>,
    compute: Option<String>,
}

/// Conditions of a rule; one that is absent always holds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct When {
    roles: Option<Vec<Role>>,
    mode: Option<PromptMode>,
    depth: Option<u32>,
    /// The invocation's how-manieth request, 1-based.
    turn: Option<u32>,
    /// This turn or a later one.
    from_turn: Option<u32>,
    /// Globs on the sample's id.
    samples: Option<Vec<String>>,
}

impl Script {
    /// The reply of the first rule that fits.
    pub fn reply(&self, caller: &Caller) -> Option<&Reply> {
        self.rules
            .iter()
            .find(|rule| rule.fits(caller))
            .map(|rule| &rule.reply)
    }
}

impl Rule {
    fn fits(&self, caller: &Caller) -> bool {
        let When {
            roles,
            mode,
            depth,
            turn,
            from_turn,
            samples: _,
        } = &self.when;
        roles
            .as_ref()
            .is_none_or(|roles| roles.contains(&caller.role))
            && mode.is_none_or(|mode| mode == caller.mode)
            && depth.is_none_or(|depth| depth == caller.depth)
            && turn.is_none_or(|turn| turn == caller.turn)
            && from_turn.is_none_or(|from| caller.turn >= from)
            && self
                .samples
                .as_ref()
                .is_none_or(|samples| samples.is_match(&caller.sample))
    }
}

/// Reads a scripted model.
pub(super) fn parse(origin: &str, text: &str) -> Result<Script, ScriptedError> {
    let invalid = |problem: String| ScriptedError::Invalid {
        origin: origin.to_owned(),
        problem,
    };
    let file: ScriptFile = serde_saphyr::from_str(text).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or("invalid YAML");
        invalid(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    })?;
    let mut rules = Vec::new();
    for (number, entry) in (1..).zip(file.rules) {
        let reply = match (entry.reply, entry.compute) {
            (Some(text), None) => Reply::Text(text),
            (None, Some(code)) => Reply::Compute(code),
            _ => {
                return Err(invalid(format!(
                    "rule {number}: expected exactly one of `reply` and `compute`"
                )));
            }
        };
        let samples = entry
            .when
            .samples
            .as_ref()
            .map(|globs| glob_set(globs))
            .transpose();
        let samples =
            samples.map_err(|error| invalid(format!("rule {number}, `when.samples`: {error}")))?;
        rules.push(Rule {
            when: entry.when,
            samples,
            reply,
        });
    }
    if rules.is_empty() {
        return Err(invalid(
            "`rules` is empty: a scripted model needs at least one".to_owned(),
        ));
    }
    Ok(Script {
        description: file.description,
        latency_ms: file.latency_ms,
        rules,
    })
}

fn glob_set(globs: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob)?);
    }
    set.build()
}
