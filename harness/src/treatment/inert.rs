//! Why something that a run claims is not in what its agents get, as the part says that hides it.

use std::collections::BTreeMap;

use super::claim::{Claim, Setting};
use super::{DEFAULT_MAX_DEPTH, Treatment};
use crate::hook::HookEvent;
use crate::model::{Protocol, protocol_words};
use crate::prompt::Replacement;

/// Something that a run claims and no agent gets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} would change nothing that an agent gets: {reason}", written(.claims))]
pub struct Inert {
    /// What is claimed; at least one thing.
    pub claims: Vec<Claim>,
    /// Why no agent gets it.
    pub reason: String,
    /// What would be right.
    pub hint: String,
    /// What hides it.
    pub by: HiddenBy,
}

/// What hides a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenBy {
    /// The protocol has no place for it, whatever else the run says.
    Protocol,
    /// The tree is too flat.
    Depth,
    /// What else the run says, or the claim itself.
    Other,
}

/// A part of a run that can hide others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Definition,
    Replacement,
    Depth,
}

/// What hides a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    /// The protocol: it is for these others.
    Protocol(Vec<Protocol>),
    /// Another part, by itself.
    Part(Part),
    /// Another claim, which brings the same thing.
    Brought(String),
    /// Too few iterations: this many are the least.
    Iterations(u32),
    /// Hooks on tools, where agents could have tools and have none.
    NoTools,
    /// It changes nothing anywhere.
    Itself,
    /// Several parts, none by itself.
    Together,
}

impl Cause {
    /// The cause of both, if one thing hides both.
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
    /// A claim that no agent gets, with those of the others that are hidden by the same part.
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

    /// A profile that was named, none of whose drivers is written for the protocol.
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

/// Claims as they are written, those of one flag together.
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

    /// What the part does to the others, as it says itself.
    fn says(self, run: &Treatment) -> String {
        match self {
            Self::Definition => format!(
                "{} says itself what its agent gets, in place of the protocol's own prompt",
                definition(run)
            ),
            Self::Replacement => match run.overrides.replacement {
                Some(Replacement::Around { .. }) => {
                    "--system-prompt-file says itself what follows the default prompt".to_owned()
                }
                _ => "--system-prompt-file has no line {{default}} and takes the place of the whole prompt".to_owned(),
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

/// What hides a claim: it is looked for by leaving out everything else that could.
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
    if is_tool_hook(run, claim) && run.protocol.nature().calls_tools() && !is_live(&bare) {
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

/// How many iterations a hook needs that does nothing in a short conversation; none if more of them make no difference.
fn least_iterations(run: &Treatment, claim: &Claim) -> Option<u32> {
    /// Iterations that are tried.
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

/// Whether the claim is a hook that does something at tool calls alone.
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
            run.protocol.nature().summary.to_owned(),
            format!(
                "use --protocol {}, or leave {what} out",
                protocol_words(fits)
            ),
        ),
        Cause::Part(part) => {
            let hint = match part {
                Part::Definition => format!("leave out {what}, or {}", definition(run)),
                Part::Replacement if would_stand_beside(run, claims) => format!(
                    "give the file a line {{{{default}}}} where the prompt that it replaces is to stand, or leave {what} out"
                ),
                Part::Replacement => format!("leave out {what}, or --system-prompt-file"),
                Part::Depth => {
                    format!("use --max-depth {DEFAULT_MAX_DEPTH} or more, or leave {what} out")
                }
            };
            (part.says(run), hint)
        }
        Cause::Brought(by) => (format!("{by} brings it"), format!("leave {what} out")),
        Cause::Iterations(least) => (
            format!(
                "with --max-iterations {} no conversation gets as long as it needs",
                run.max_iterations
            ),
            format!("use --max-iterations {least} or more, or leave {what} out"),
        ),
        Cause::NoTools => (
            "no agent has tools, and it sees nothing but tool calls".to_owned(),
            format!("name tools with --tools, or leave {what} out"),
        ),
        Cause::Itself => (itself(run, claims), format!("leave {what} out")),
        Cause::Together => (
            "what else the run says takes its place".to_owned(),
            format!("leave {what} out"),
        ),
    }
}

/// Whether all of these would be in a prompt that the replacement stood around.
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

/// What makes a claim one that changes nothing anywhere.
fn itself(run: &Treatment, claims: &[Claim]) -> String {
    match claims {
        [Claim::Setting(Setting::ActionOverrides)] => format!(
            "no agent has a tool or action called {}",
            run.idle_overrides().join(" or ")
        ),
        [
            Claim::CompactionModel
            | Claim::Setting(Setting::CompactionAt | Setting::CompactionKeep),
            ..,
        ] => format!(
            "with --compaction {} nothing is done that it is for",
            run.compaction.how
        ),
        [Claim::PromptMode(_)] => {
            "the sections of its prompt have the same text as those of the other mode".to_owned()
        }
        _ => "what the agents get is the same without it".to_owned(),
    }
}
