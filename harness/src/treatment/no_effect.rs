//! Finds the part of a run that masks an explicit setting, and explains why the setting has no
//! effect.

use std::collections::BTreeSet;

use super::Treatment;
use super::explicit::{ACTION_OVERRIDES, ExplicitSetting, HOOKS, PROMPT, REPLACEMENT};
use crate::agent::COMPACTION_MODEL;
use crate::hook::HookEvent;
use crate::model::{Protocol, protocol_words};
use crate::prompt::Replacement;
use crate::settings::DEFAULT_MAX_DEPTH;

/// Error for explicit settings without an effect on any agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} would have no effect: {reason}", written(.settings))]
pub struct NoEffect {
    /// Settings without effect; at least one.
    pub settings: Vec<ExplicitSetting>,
    /// Reason why the settings have no effect.
    pub reason: String,
    /// Suggested correction.
    pub hint: String,
    /// Category of the cause that masks the settings.
    pub by: MaskedBy,
}

/// Category of the cause that masks a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskedBy {
    /// The protocol does not support the setting.
    Protocol,
    /// The maximum depth is too small.
    Depth,
    /// Another setting masks it, or it has no effect in any run.
    Other,
}

const MAX_DEPTH: &str = "--max-depth";

/// Flags of the settings that can mask others.
const MASKING: [&str; 3] = [PROMPT, REPLACEMENT, MAX_DEPTH];

/// Specific cause that masks a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    /// The protocol. Only the listed protocols support the setting.
    Protocol(Vec<Protocol>),
    /// Another setting, one of [`MASKING`].
    Setting(&'static str),
    /// Another setting that implies the same value.
    Implied(String),
    /// Too few iterations. The number is the required minimum.
    Iterations(u32),
    /// The setting is a hook on tool calls, and the run has no tools although its protocol supports
    /// them.
    NoTools,
    /// The setting has no effect in any run.
    Itself,
    /// Only several settings together mask it.
    Together,
}

impl Cause {
    /// Returns the common cause of both, if there is one.
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
    /// Describes a masked setting, together with the other settings that have the same cause.
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
                Cause::Setting(MAX_DEPTH) => MaskedBy::Depth,
                _ => MaskedBy::Other,
            },
        }
    }

    /// Describes a selected profile that has no driver for the protocol.
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

/// Formats settings as flags, with the values of one flag joined.
fn written(settings: &[ExplicitSetting]) -> String {
    let mut seen = BTreeSet::new();
    let flags = settings.iter().map(|setting| &*setting.flag);
    let written = flags.filter(|flag| seen.insert(*flag)).map(|flag| {
        let of_flag = settings.iter().filter(|setting| setting.flag == flag);
        let values = of_flag.map(|setting| setting.value.as_str());
        let values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
        if values.is_empty() {
            flag.to_owned()
        } else {
            format!("{flag} {}", values.join(","))
        }
    });
    written.collect::<Vec<_>>().join(", ")
}

/// Returns a copy of `run` in which the setting of this flag has its default.
fn without(run: Treatment, flag: &str) -> Treatment {
    let explicit = run.explicit();
    match explicit.iter().find(|setting| setting.flag == flag) {
        Some(setting) => setting.removed(&run),
        None => run,
    }
}

/// Explains how the setting of this flag masks others.
fn masks(run: &Treatment, flag: &str) -> String {
    match flag {
        PROMPT => format!("{} replaces the protocol's prompt", definition(run)),
        REPLACEMENT => match run.overrides.replacement {
            Some(Replacement::Around { .. }) => {
                "--system-prompt-file determines what follows the default prompt".to_owned()
            }
            _ => "--system-prompt-file does not contain a line {{default}}, so it replaces the whole prompt".to_owned(),
        },
        _ => format!(
            "with --max-depth {} the root has no children with a REPL",
            run.prompts.max_depth
        ),
    }
}

fn definition(run: &Treatment) -> String {
    let name = run.overrides.definition.as_ref();
    format!("--prompt {}", name.map_or("", |own| own.name.as_str()))
}

/// Resets other settings of the run to find the cause that masks a setting.
fn cause(run: &Treatment, setting: &ExplicitSetting) -> Cause {
    if let Some(by) = setting.implied_by(run) {
        return Cause::Implied(by);
    }
    if let Some(least) = min_iterations(run, setting) {
        return Cause::Iterations(least);
    }
    let others = || MASKING.into_iter().filter(|flag| setting.flag != *flag);
    let only = |kept: Option<&str>| {
        let left_out = others().filter(|flag| Some(*flag) != kept);
        left_out.fold(run.clone(), without)
    };
    let has_effect = |run: &Treatment| setting.has_effect(run, &run.plan());
    let bare = only(None);
    if is_tool_hook(run, setting) && run.protocol.capabilities().calls_tools() && !has_effect(&bare)
    {
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
    let by_itself = others().find(|flag| !has_effect(&only(Some(*flag))));
    by_itself.map_or(Cause::Together, Cause::Setting)
}

/// Returns the smallest `--max-iterations` above the run's at which a hook has an effect. `None` if
/// no such number helps or the setting is not a hook.
fn min_iterations(run: &Treatment, setting: &ExplicitSetting) -> Option<u32> {
    const MAX_ITERATIONS_TO_TRY: u32 = 100;
    if setting.flag != HOOKS {
        return None;
    }
    (run.iterations.max_iterations + 1..=MAX_ITERATIONS_TO_TRY).find(|iterations| {
        let mut longer = run.clone();
        longer.iterations.max_iterations = *iterations;
        setting.has_effect(&longer, &longer.plan())
    })
}

/// Whether the setting is a hook that only handles tool calls.
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
            run.protocol.capabilities().summary.to_owned(),
            format!(
                "use --protocol {}, or leave {what} out",
                protocol_words(fits)
            ),
        ),
        Cause::Setting(flag) => {
            let hint = match *flag {
                PROMPT => format!("leave out {what}, or {}", definition(run)),
                REPLACEMENT if works_with_default_prompt(run, settings) => format!(
                    "add a line {{{{default}}}} to the file where the replaced prompt should appear, or leave {what} out"
                ),
                REPLACEMENT => format!("leave out {what}, or --system-prompt-file"),
                _ => format!("use --max-depth {DEFAULT_MAX_DEPTH} or more, or leave {what} out"),
            };
            (masks(run, flag), hint)
        }
        Cause::Implied(by) => (format!("{by} already sets it"), format!("leave {what} out")),
        Cause::Iterations(least) => (
            format!(
                "with --max-iterations {} no conversation becomes long enough for the hook",
                run.iterations.max_iterations
            ),
            format!("use --max-iterations {least} or more, or leave {what} out"),
        ),
        Cause::NoTools => (
            "no agent has tools, and the hook handles only tool calls".to_owned(),
            format!("name tools with --tools, or leave {what} out"),
        ),
        Cause::Itself => (itself(run, settings), format!("leave {what} out")),
        Cause::Together => (
            "other settings override it".to_owned(),
            format!("leave {what} out"),
        ),
    }
}

/// Whether all these settings would have an effect if the replacement contained `{{default}}`.
fn works_with_default_prompt(run: &Treatment, settings: &[ExplicitSetting]) -> bool {
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

/// Explains why settings have no effect in any run.
fn itself(run: &Treatment, settings: &[ExplicitSetting]) -> String {
    const OF_COMPACTION: [&str; 3] = [COMPACTION_MODEL, "--compaction-at", "--compaction-keep"];
    let flags: Vec<&str> = settings.iter().map(|setting| &*setting.flag).collect();
    match flags.as_slice() {
        [ACTION_OVERRIDES] => format!(
            "no agent has a tool or action called {}",
            run.unused_overrides().join(" or ")
        ),
        flags if flags.iter().all(|flag| OF_COMPACTION.contains(flag)) => {
            let how = run.compaction.settings.compaction;
            format!("it does not apply to --compaction {how}")
        }
        ["--prompt-mode"] => "the prompt's sections are the same in both modes".to_owned(),
        _ => "it does not change what the agents receive".to_owned(),
    }
}
