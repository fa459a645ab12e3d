//! Explains why an explicit setting has no effect: finds the part of the run that masks it.

use std::collections::BTreeMap;

use super::claim::{Claim, Setting};
use super::{DEFAULT_MAX_DEPTH, Treatment};
use crate::hook::HookEvent;
use crate::model::{Protocol, protocol_words};
use crate::prompt::Replacement;

/// Explicit settings without an effect on any agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} would have no effect: {reason}", written(.claims))]
pub struct Inert {
    /// The settings; at least one.
    pub claims: Vec<Claim>,
    /// Reason why they have no effect.
    pub reason: String,
    /// Suggested correction.
    pub hint: String,
    /// Category of what masks them.
    pub by: HiddenBy,
}

/// Category of what masks a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenBy {
    /// The protocol does not support the setting.
    Protocol,
    /// The maximum depth is too small.
    Depth,
    /// Another setting, or the setting itself.
    Other,
}

/// A part of a run that can mask settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Definition,
    Replacement,
    Depth,
}

/// Specific cause that masks a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    /// The protocol; only these others support the setting.
    Protocol(Vec<Protocol>),
    /// One other part.
    Part(Part),
    /// Another setting that implies the same value.
    Brought(String),
    /// Too few iterations; with the minimum number.
    Iterations(u32),
    /// A hook on tool calls in a run without tools, although its protocol supports them.
    NoTools,
    /// It has no effect in any run.
    Itself,
    /// Several parts together.
    Together,
}

impl Cause {
    /// Returns the common cause, if one part masks both.
    fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Protocol(ours), Self::Protocol(theirs)) => {
                let both = ours.iter().filter(|protocol| theirs.contains(protocol));
                let both: Vec<Protocol> = both.copied().collect();
                (!both.is_empty()).then_some(Self::Protocol(both))
            }
            (ours, theirs) => (ours == theirs).then(|| ours.clone()),
        }
    }
}

impl Inert {
    /// Describes a setting without effect, together with the other settings that the same part
    /// masks.
    pub(super) fn of(run: &Treatment, first: &Claim, others: &[&Claim]) -> Self {
        let mut hidden = cause(run, first);
        let mut claims = vec![first.clone()];
        for claim in others {
            if let Some(both) = hidden.and(&cause(run, claim)) {
                hidden = both;
                claims.push((*claim).clone());
            }
        }
        let what = written(&claims);
        let (reason, hint) = words(run, &claims, &what, &hidden);
        Self {
            claims,
            reason,
            hint,
            by: match hidden {
                Cause::Protocol(_) => HiddenBy::Protocol,
                Cause::Part(Part::Depth) => HiddenBy::Depth,
                _ => HiddenBy::Other,
            },
        }
    }

    /// Describes a selected profile without any driver for the protocol.
    pub fn profile(name: &str, drivers: &[String], protocol: Protocol) -> Self {
        let claim = Claim::Profile {
            name: name.to_owned(),
            drivers: drivers.to_vec(),
        };
        let reason = if drivers.is_empty() {
            "it has no drivers".to_owned()
        } else {
            format!(
                "none of its drivers ({}) is written for the {protocol} protocol",
                drivers.join(", ")
            )
        };
        Self {
            hint: format!("use --profile none, or leave {claim} out"),
            claims: vec![claim],
            reason,
            by: HiddenBy::Protocol,
        }
    }
}

/// Formats settings as flags, with the values of one flag joined.
fn written(claims: &[Claim]) -> String {
    let mut order: Vec<String> = Vec::new();
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for claim in claims {
        let text = claim.to_string();
        let (flag, value) = text.split_once(' ').unwrap_or((&text, ""));
        if !values.contains_key(flag) {
            order.push(flag.to_owned());
        }
        let of_flag = values.entry(flag.to_owned()).or_default();
        of_flag.extend((!value.is_empty()).then(|| value.to_owned()));
    }
    let all: Vec<String> = order
        .into_iter()
        .map(
            |flag| match values.get(&flag).map(|values| values.join(",")) {
                Some(value) if !value.is_empty() => format!("{flag} {value}"),
                _ => flag,
            },
        )
        .collect();
    all.join(", ")
}

impl Part {
    const ALL: [Self; 3] = [Self::Definition, Self::Replacement, Self::Depth];

    fn removed(self, run: &Treatment) -> Treatment {
        let claim = match self {
            Self::Definition => Claim::Prompt(String::new()),
            Self::Replacement => Claim::Setting(Setting::SystemPromptFile),
            Self::Depth => Claim::MaxDepth(0),
        };
        claim.removed(run)
    }

    fn is(self, claim: &Claim) -> bool {
        matches!(
            (self, claim),
            (Self::Definition, Claim::Prompt(_))
                | (Self::Replacement, Claim::Setting(Setting::SystemPromptFile))
                | (Self::Depth, Claim::MaxDepth(_))
        )
    }

    /// Describes how the part masks other settings.
    fn says(self, run: &Treatment) -> String {
        match self {
            Self::Definition => format!(
                "{} replaces the protocol's prompt",
                definition(run)
            ),
            Self::Replacement => match run.overrides.replacement {
                Some(Replacement::Around { .. }) => {
                    "--system-prompt-file determines what follows the default prompt".to_owned()
                }
                _ => "--system-prompt-file does not contain a line {{default}}, so it replaces the whole prompt".to_owned(),
            },
            Self::Depth => format!(
                "with --max-depth {} the root has no children with a REPL",
                run.max_depth
            ),
        }
    }
}

fn definition(run: &Treatment) -> String {
    let name = run.overrides.definition.as_ref();
    format!("--prompt {}", name.map_or("", |own| own.name.as_str()))
}

/// Finds what masks a setting by removing each candidate from the run.
fn cause(run: &Treatment, claim: &Claim) -> Cause {
    if let Some(by) = claim.brought_by(run) {
        return Cause::Brought(by);
    }
    if let Some(least) = least_iterations(run, claim) {
        return Cause::Iterations(least);
    }
    let others = || Part::ALL.into_iter().filter(|part| !part.is(claim));
    let only = |kept: Option<Part>| {
        let left_out = others().filter(|part| Some(*part) != kept);
        left_out.fold(run.clone(), |run, part| part.removed(&run))
    };
    let is_live = |run: &Treatment| claim.is_live(run, &run.sent());
    let bare = only(None);
    if is_tool_hook(run, claim) && run.protocol.capabilities().calls_tools() && !is_live(&bare) {
        return Cause::NoTools;
    }
    let fits: Vec<Protocol> = Protocol::ALL
        .into_iter()
        .filter(|protocol| {
            is_live(&Treatment {
                protocol: *protocol,
                ..bare.clone()
            })
        })
        .collect();
    if fits.is_empty() {
        return Cause::Itself;
    }
    if !fits.contains(&run.protocol) {
        return Cause::Protocol(fits);
    }
    let by_itself = others().find(|part| !is_live(&only(Some(*part))));
    by_itself.map_or(Cause::Together, Cause::Part)
}

/// Returns the minimum iterations for a hook without effect in a short conversation, or `None` if
/// more iterations do not help.
fn least_iterations(run: &Treatment, claim: &Claim) -> Option<u32> {
    /// Maximum iterations to try.
    const MOST: u32 = 100;
    if !matches!(claim, Claim::Hook(_)) {
        return None;
    }
    (run.max_iterations + 1..=MOST).find(|iterations| {
        let longer = Treatment {
            max_iterations: *iterations,
            ..run.clone()
        };
        claim.is_live(&longer, &longer.sent())
    })
}

/// Whether the setting is a hook that only handles tool calls.
fn is_tool_hook(run: &Treatment, claim: &Claim) -> bool {
    let Claim::Hook(name) = claim else {
        return false;
    };
    let mut hooks = run.hooks.iter().filter(|hook| hook.name() == name);
    hooks.all(|hook| {
        let mut events = hook.events().iter();
        events.all(|event| HookEvent::OF_TOOLS.contains(event))
    })
}

fn words(run: &Treatment, claims: &[Claim], what: &str, cause: &Cause) -> (String, String) {
    match cause {
        Cause::Protocol(fits) => (
            run.protocol.capabilities().summary.to_owned(),
            format!(
                "use --protocol {}, or leave {what} out",
                protocol_words(fits)
            ),
        ),
        Cause::Part(part) => {
            let hint = match part {
                Part::Definition => format!("leave out {what}, or {}", definition(run)),
                Part::Replacement if would_stand_beside(run, claims) => format!(
                    "add a line {{{{default}}}} to the file where the replaced prompt should appear, or leave {what} out"
                ),
                Part::Replacement => format!("leave out {what}, or --system-prompt-file"),
                Part::Depth => {
                    format!("use --max-depth {DEFAULT_MAX_DEPTH} or more, or leave {what} out")
                }
            };
            (part.says(run), hint)
        }
        Cause::Brought(by) => (format!("{by} already sets it"), format!("leave {what} out")),
        Cause::Iterations(least) => (
            format!(
                "with --max-iterations {} no conversation becomes long enough",
                run.max_iterations
            ),
            format!("use --max-iterations {least} or more, or leave {what} out"),
        ),
        Cause::NoTools => (
            "no agent has tools, and the hook handles only tool calls".to_owned(),
            format!("name tools with --tools, or leave {what} out"),
        ),
        Cause::Itself => (itself(run, claims), format!("leave {what} out")),
        Cause::Together => (
            "other settings override it".to_owned(),
            format!("leave {what} out"),
        ),
    }
}

/// Whether all of these would be in the prompt if the replacement contained `{{default}}`.
fn would_stand_beside(run: &Treatment, claims: &[Claim]) -> bool {
    let Some(Replacement::Whole(text)) = &run.overrides.replacement else {
        return false;
    };
    let mut around = run.clone();
    around.overrides.replacement = Some(Replacement::Around {
        before: text.clone(),
        after: String::new(),
    });
    let sent = around.sent();
    claims.iter().all(|claim| claim.is_live(&around, &sent))
}

/// Explains why a setting has no effect in any run.
fn itself(run: &Treatment, claims: &[Claim]) -> String {
    match claims {
        [Claim::Setting(Setting::ActionOverrides)] => format!(
            "no agent has a tool or action called {}",
            run.unused_overrides().join(" or ")
        ),
        [
            Claim::CompactionModel
            | Claim::Setting(Setting::CompactionAt | Setting::CompactionKeep),
            ..,
        ] => format!("it does not apply to --compaction {}", run.compaction.how),
        [Claim::PromptMode(_)] => "the prompt's sections are the same in both modes".to_owned(),
        _ => "agents receive the same without it".to_owned(),
    }
}
