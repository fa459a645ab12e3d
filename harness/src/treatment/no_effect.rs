//! Explains why an explicit setting has no effect: which part of the run masks it.

use std::collections::BTreeMap;

use super::explicit::{
    ACTION_OVERRIDES, COMPACTION_AT, COMPACTION_KEEP, COMPACTION_MODEL, ExplicitSetting, HOOKS,
    MAX_DEPTH, PROMPT, PROMPT_MODE, REPLACEMENT,
};
use super::{DEFAULT_MAX_DEPTH, Treatment};
use crate::agent::AgentSettings;
use crate::hook::HookEvent;
use crate::model::{Protocol, protocol_words};
use crate::prompt::Replacement;

/// Explicit settings that change nothing for any agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} would change nothing that an agent gets: {reason}", written(.settings))]
pub struct NoEffect {
    /// The settings; at least one.
    pub settings: Vec<ExplicitSetting>,
    /// Why they change nothing.
    pub reason: String,
    /// What would be valid.
    pub hint: String,
    /// What masks them.
    pub by: MaskedBy,
}

/// What masks a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskedBy {
    /// The protocol, whatever the other settings are.
    Protocol,
    /// The maximum depth.
    Depth,
    /// Another setting, or the setting itself.
    Other,
}

/// A part of a run that can mask others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Definition,
    Replacement,
    Depth,
}

/// Why a setting has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    /// The protocol: the setting applies to these.
    Protocol(Vec<Protocol>),
    /// One other part.
    Part(Part),
    /// Another setting, which implies it.
    Implied(String),
    /// Too few iterations; this many are required.
    Iterations(u32),
    /// It is a hook on tools, and no agent has tools.
    NoTools,
    /// It has no effect in any protocol.
    Itself,
    /// Several parts together.
    Together,
}

impl Cause {
    /// Returns the common cause, if there is one.
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

impl NoEffect {
    /// Explains the first setting, together with those of the others that have the same cause.
    pub(super) fn of(
        run: &Treatment,
        first: &ExplicitSetting,
        others: &[&ExplicitSetting],
    ) -> Self {
        let mut hidden = cause(run, first);
        let mut settings = vec![first.clone()];
        for setting in others {
            if let Some(both) = hidden.and(&cause(run, setting)) {
                hidden = both;
                settings.push((*setting).clone());
            }
        }
        let what = written(&settings);
        let (reason, hint) = words(run, &settings, &what, &hidden);
        Self {
            settings,
            reason,
            hint,
            by: match hidden {
                Cause::Protocol(_) => MaskedBy::Protocol,
                Cause::Part(Part::Depth) => MaskedBy::Depth,
                _ => MaskedBy::Other,
            },
        }
    }

    /// Explains a named profile without drivers for the protocol.
    pub fn profile(name: &str, drivers: &[String], protocol: Protocol) -> Self {
        let setting = ExplicitSetting::profile(name, drivers.to_vec());
        let reason = if drivers.is_empty() {
            "it has no drivers".to_owned()
        } else {
            format!(
                "none of its drivers ({}) is written for the {protocol} protocol",
                drivers.join(", ")
            )
        };
        Self {
            hint: format!("use --profile none, or leave {setting} out"),
            settings: vec![setting],
            reason,
            by: MaskedBy::Protocol,
        }
    }
}

/// Returns the settings as typed, with the values of one flag joined.
fn written(settings: &[ExplicitSetting]) -> String {
    let mut order: Vec<String> = Vec::new();
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for setting in settings {
        let text = setting.to_string();
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
        let mut run = run.clone();
        match self {
            Self::Definition => {
                run.overrides.definition = None;
                run.root = AgentSettings::default();
            }
            Self::Replacement => run.overrides.replacement = None,
            Self::Depth => run.max_depth = DEFAULT_MAX_DEPTH,
        }
        run
    }

    fn is(self, setting: &ExplicitSetting) -> bool {
        let flag = match self {
            Self::Definition => PROMPT,
            Self::Replacement => REPLACEMENT,
            Self::Depth => MAX_DEPTH,
        };
        setting.flag == flag
    }

    /// Returns why the part masks others.
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

/// Finds why a setting has no effect, by removing the other parts that could mask it.
fn cause(run: &Treatment, setting: &ExplicitSetting) -> Cause {
    if let Some(by) = setting.implied_by(run) {
        return Cause::Implied(by);
    }
    if let Some(least) = least_iterations(run, setting) {
        return Cause::Iterations(least);
    }
    let others = || Part::ALL.into_iter().filter(|part| !part.is(setting));
    let only = |kept: Option<Part>| {
        let left_out = others().filter(|part| Some(*part) != kept);
        left_out.fold(run.clone(), |run, part| part.removed(&run))
    };
    let has_effect = |run: &Treatment| setting.has_effect(run, &run.plan());
    let bare = only(None);
    if is_tool_hook(run, setting) && run.protocol.nature().calls_tools() && !has_effect(&bare) {
        return Cause::NoTools;
    }
    let fits: Vec<Protocol> = Protocol::ALL
        .into_iter()
        .filter(|protocol| {
            has_effect(&Treatment {
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
    let by_itself = others().find(|part| !has_effect(&only(Some(*part))));
    by_itself.map_or(Cause::Together, Cause::Part)
}

/// Returns how many iterations a hook needs that only acts on long conversations; `None` if more
/// iterations make no difference.
fn least_iterations(run: &Treatment, setting: &ExplicitSetting) -> Option<u32> {
    /// Maximum iterations to try.
    const MOST: u32 = 100;
    if setting.flag != HOOKS {
        return None;
    }
    (run.max_iterations + 1..=MOST).find(|iterations| {
        let longer = Treatment {
            max_iterations: *iterations,
            ..run.clone()
        };
        setting.has_effect(&longer, &longer.plan())
    })
}

/// Whether the setting is a hook that only acts on tool calls.
fn is_tool_hook(run: &Treatment, setting: &ExplicitSetting) -> bool {
    if setting.flag != HOOKS {
        return false;
    }
    let mut hooks = run.hooks.iter().filter(|hook| hook.name() == setting.value);
    hooks.all(|hook| {
        let mut events = hook.events().iter();
        events.all(|event| HookEvent::OF_TOOLS.contains(event))
    })
}

fn words(
    run: &Treatment,
    settings: &[ExplicitSetting],
    what: &str,
    cause: &Cause,
) -> (String, String) {
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
                Part::Replacement if would_stand_beside(run, settings) => format!(
                    "give the file a line {{{{default}}}} where the prompt that it replaces is to stand, or leave {what} out"
                ),
                Part::Replacement => format!("leave out {what}, or --system-prompt-file"),
                Part::Depth => {
                    format!("use --max-depth {DEFAULT_MAX_DEPTH} or more, or leave {what} out")
                }
            };
            (part.says(run), hint)
        }
        Cause::Implied(by) => (format!("{by} brings it"), format!("leave {what} out")),
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
        Cause::Itself => (itself(run, settings), format!("leave {what} out")),
        Cause::Together => (
            "what else the run says takes its place".to_owned(),
            format!("leave {what} out"),
        ),
    }
}

/// Whether all of these would have an effect if the replacement contained the default prompt.
fn would_stand_beside(run: &Treatment, settings: &[ExplicitSetting]) -> bool {
    let Some(Replacement::Whole(text)) = &run.overrides.replacement else {
        return false;
    };
    let mut around = run.clone();
    around.overrides.replacement = Some(Replacement::Around {
        before: text.clone(),
        after: String::new(),
    });
    let plan = around.plan();
    settings
        .iter()
        .all(|setting| setting.has_effect(&around, &plan))
}

/// Returns why settings have no effect in any protocol.
fn itself(run: &Treatment, settings: &[ExplicitSetting]) -> String {
    let flags: Vec<&str> = settings.iter().map(|setting| setting.flag).collect();
    match flags.as_slice() {
        [ACTION_OVERRIDES] => format!(
            "no agent has a tool or action called {}",
            run.idle_overrides().join(" or ")
        ),
        [COMPACTION_MODEL | COMPACTION_AT | COMPACTION_KEEP, ..] => format!(
            "with --compaction {} nothing is done that it is for",
            run.compaction.how
        ),
        [PROMPT_MODE] => {
            "the sections of its prompt have the same text as those of the other mode".to_owned()
        }
        _ => "what the agents get is the same without it".to_owned(),
    }
}
