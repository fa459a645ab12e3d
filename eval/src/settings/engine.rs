//! Flags and settings shared by all commands that run agents.

use std::path::PathBuf;

use clap::Args;
use harness::provider::{MaybeShared, PriceTable, Sampling};
use harness::settings::{IterationSettings, ProtocolSettings};
use harness::treatment::{Effective, ExperimentPlan, ExplicitSetting};
use harness::{
    AgentSettings, CallerRole, Conduct, ModelMap, ModelSlot, Specialist, ToolChoice, Treatment,
};
use serde::Serialize;
use serde_json::Value;

use super::flags::{MayNamePlace, NotFromFile, NotShared, RunOnly};
use super::guidance::NONE;
use super::treatment::Flags;
use super::values::{Seconds, fields};
use super::{
    BudgetArgs, GuidanceArgs, HookArgs, Keys, ModelArgs, ModelSettings, PowerArgs, Resolved,
    RunMode, SandboxArgs, SandboxError, SettingsError, ToolArgs, TrafficArgs, WebArgs, budget,
    compaction, guidance, layers, models, recorded_flags, web,
};
use crate::providers::{ModelRef, UnknownModel};

/// Flags of all commands that run agents.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct EngineArgs {
    /// The model: `openai/MODEL`, `anthropic/MODEL` and so on over HTTP (see
    /// `rlm-eval list models`); `scripted` for the benchmark's scripted model, `scripted/NAME` for
    /// a bundled one, `scripted:FILE` for your own; or `replay:FILE` for the recorded responses of
    /// an earlier run [default with --prompt: the `model` of the definition]
    #[arg(long, required_unless_present = "prompt", value_name = "REF", add = MayNamePlace)]
    pub model: Option<ModelRef>,

    /// Settings of iterations.
    #[command(flatten)]
    #[serde(flatten)]
    pub iterations: IterationSettings,

    /// Wall time limit of one attempt in seconds, including all its agents and model calls
    #[arg(long, default_value_t = Seconds::of(3600), value_name = "SECONDS")]
    pub attempt_timeout: Seconds,

    /// Flags of model calls over HTTP.
    #[command(flatten)]
    pub models: ModelArgs,

    /// Prompts of the agents.
    #[command(flatten)]
    pub guidance: GuidanceArgs,

    /// Hooks of the run.
    #[command(flatten)]
    pub hooks: HookArgs,

    /// Settings that apply only to particular protocols.
    #[command(flatten)]
    pub protocols: ProtocolSettings,

    /// Tools of the agents.
    #[command(flatten)]
    pub tools: ToolArgs,

    /// Budgets.
    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Retries and rate limits.
    #[command(flatten)]
    pub traffic: TrafficArgs,

    /// Cache and recording of responses.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Settings of web agents and of the records of their pages.
    #[command(flatten)]
    pub web: WebArgs,

    /// Limits and printing of the REPL.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Permissions, which are not recorded.
    #[command(flatten)]
    #[serde(skip)]
    pub powers: PowerArgs,
}

impl EngineArgs {
    /// Returns the part of the treatment that these flags determine. [`EngineSettings::resolve`]
    /// adds values that must be looked up or checked.
    pub fn treatment(&self) -> Treatment {
        Treatment {
            iterations: self.iterations.clone(),
            repl: self.sandbox.repl.clone(),
            protocols: self.protocols,
            attempt_time: *self.attempt_timeout,
            attempt_budget: self.budget.of_attempt(),
            stop_early: self.models.sampling.stop_early,
            ..Treatment::default()
        }
    }

    /// Returns the settings that cannot change an answer.
    ///
    /// # Errors
    /// Returns [`SandboxError`] if the requested isolation is not possible.
    pub fn conduct(&self) -> Result<Conduct, SandboxError> {
        Ok(Conduct {
            isolation: self.sandbox.isolation(self.powers.isolation.kind)?,
            screenshots: self.web.screenshots,
            budget: self.budget.of_run(),
        })
    }
}

/// Cache and recording of responses.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Recording")]
pub struct StoreArgs {
    /// Folder for a response cache. A request costs nothing if an attempt with the same number has
    /// already sent the same request and received a response [default: no cache]
    #[arg(long, value_name = "DIR", add = NotFromFile)]
    pub cache: Option<PathBuf>,

    /// Record all responses of models in this new file; `--model replay:FILE` plays it back
    /// [default: none]
    #[arg(long, value_name = "FILE", add = NotFromFile, add = RunOnly, add = NotShared("a recording belongs to one run"))]
    pub record: Option<PathBuf>,
}

/// Everything that agents depend on.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The models, parsed from `treatment.models`.
    pub references: ModelMap<ModelRef>,
    /// Sampling and servers of the models.
    pub models: ModelSettings,
    /// Settings that can change an answer.
    pub treatment: Treatment,
    /// Settings that cannot change an answer.
    pub conduct: Conduct,
    /// Name of the applied profile.
    pub profile: Option<String>,
    /// Price table, in which the user's prices override the bundled ones.
    pub prices: PriceTable,
    /// Rate limits and retries of requests.
    pub traffic: TrafficArgs,
    /// Whether third-party pages may run without Chromium's own sandbox.
    pub trust_pages: bool,
    /// Whether user-supplied rows and their pages may reach this machine and private networks.
    pub allow_local: bool,
    /// Cache and recording of responses.
    pub store: StoreArgs,
    /// Whether responses are appended to the cassette of an earlier start.
    pub append_cassette: bool,
    /// Request rate shared with other processes, if any.
    pub shared_pace: MaybeShared,
    /// Prompt mode, maximum depth and maximum iterations in effect, as recorded.
    pub effective: Effective,
    /// Everything that the agents receive. Two runs with equal plans are one experiment.
    pub plan: ExperimentPlan,
}

impl EngineSettings {
    /// Resolves the flags of the engine. With [`Keys::Needed`], the keys of all models must be
    /// available.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag.
    pub fn resolve(
        args: &EngineArgs,
        keys: Keys,
        start: RunMode,
    ) -> Result<Resolved<Self>, SettingsError> {
        let (model, model_note) = main_model(args)?;
        let model = &model;
        let conduct = args.conduct()?;
        let flags = Flags {
            guidance: &args.guidance,
            tools: &args.tools,
            values: &args.powers.variables.values,
            servers: &args.powers.mcp.mcp_servers,
            hooks: &args.hooks,
            web: &args.web,
        };
        let mut resolved = flags.resolve(
            args.treatment(),
            Some(model.as_str()),
            &conduct.isolation,
            start,
        )?;
        resolved.notes.extend(model_note);
        let treatment = &resolved.settings.treatment;
        let references = treatment.models.try_map(|slot, text| {
            text.parse::<ModelRef>().map_err(|error| {
                let problem = format!("{slot}: `{text}`: {error}");
                SettingsError::with_hint(problem, UnknownModel::HINT)
            })
        })?;
        let models = models::resolve(
            &args.models,
            references.iter(),
            treatment.prompts.code_via_tool(),
            treatment.iterations.max_blocks_per_iteration,
            keys,
        )?;
        if start != RunMode::Resume {
            models::check_sampling_is_used(&args.models, &models, model)?;
        }
        let treatment = &mut resolved.settings.treatment;
        // The model that writes summaries has no conversation, so its context window does not
        // matter.
        let slots = references.iter();
        let with_turns = slots.filter(|(slot, _)| **slot != ModelSlot::Summaries);
        compaction::find_windows(
            &mut treatment.compaction,
            args.guidance.long_conversations.windows.as_deref(),
            with_turns.map(|(_, model)| model),
        )?;
        let plan = treatment.plan();
        let prices = budget::prices(args.budget.prices.as_deref())?;
        let all = references.iter().map(|(_, model)| model);
        budget::check_prices(args.budget.of_money(), &prices, all.clone())?;
        let old = budget::old_prices(&prices, all, layers::today());
        resolved.warnings.extend(old);
        let idle = web::idle(&args.web, treatment.protocol);
        resolved.warnings.extend(idle);
        let left_out = fit_reasoning(treatment, &references, &models.sampling);
        resolved.warnings.extend(left_out);
        resolved
            .notes
            .extend(not_forced(treatment, model, &models.sampling));
        Ok(resolved.map(|agents| Self {
            references,
            models,
            treatment: agents.treatment,
            conduct,
            profile: agents.profile,
            prices,
            traffic: args.traffic.clone(),
            trust_pages: args.powers.trust_pages,
            allow_local: args.powers.allow_local,
            store: args.store.clone(),
            append_cassette: false,
            shared_pace: MaybeShared::default(),
            effective: agents.effective,
            plan,
        }))
    }
}

/// Returns the root's model: the value of `--model`, or else the model in the root's definition. If
/// `--model` overrides the definition, also returns a note.
///
/// # Errors
/// [`SettingsError`] if neither names a model.
pub(crate) fn main_model(args: &EngineArgs) -> Result<(ModelRef, Option<String>), SettingsError> {
    const HINT: &str = "name a model with --model; `rlm-eval list models` lists the valid names";
    let layers = &args.guidance.layers;
    let name = layers.prompt.as_deref().unwrap_or_default().trim();
    let named = match layers.prompt {
        Some(_) => {
            let library = layers::library(layers.prompts_dir.as_deref())?;
            library.find(name).map(|found| found.model.clone())
        }
        None => None,
    };
    let named = named.filter(|model| !["", layers::DEFAULT_MODEL].contains(&model.as_str()));
    let aliases = guidance::aliases(&args.guidance)?;
    let named = named.map(|named| {
        let alias = aliases.into_iter().find(|alias| alias.alias == named);
        (
            alias.map_or_else(|| named.clone(), |alias| alias.model),
            named,
        )
    });
    match (&args.model, named) {
        (Some(model), Some((reference, named))) if reference != model.as_str() => {
            let note =
                format!("--model {model} overrides the model `{named}` of the definition `{name}`");
            Ok((model.clone(), Some(note)))
        }
        (Some(model), _) => Ok((model.clone(), None)),
        (None, Some((reference, named))) => {
            let reference = reference.parse().map_err(|error| {
                let problem = format!("--prompt {name}: its model `{named}`: {error}");
                let hint = format!("define the name with --model-alias {named}=PROVIDER/MODEL");
                SettingsError::with_hint(problem, hint)
            })?;
            Ok((reference, None))
        }
        (None, None) => {
            let problem = format!(
                "--prompt {name}: its model is the run's main model (`{}`), but --model is not set",
                layers::DEFAULT_MODEL
            );
            Err(SettingsError::with_hint(problem, HINT))
        }
    }
}

/// Returns a note if the API of the root's model cannot force the tool call that the protocol
/// requires.
fn not_forced(treatment: &Treatment, model: &ModelRef, sampling: &Sampling) -> Option<String> {
    let (endpoint, name) = model.on_server()?;
    let tool = match treatment.required_call() {
        ToolChoice::Forced(name) => format!("`{name}`"),
        ToolChoice::Required => "a tool".to_owned(),
        ToolChoice::Auto | ToolChoice::None => return None,
    };
    let sampling = treatment.root.reasoning_over(sampling);
    endpoint.cannot_force_tools(name, &sampling).then(|| {
        format!(
            "{model}: the API does not allow forcing a call of {tool} while the model reasons; a response without the call \
             is requested again"
        )
    })
}

/// Removes reasoning settings that a model's API does not support from the definitions of the root
/// and of other agents. Returns a warning for each removed property.
fn fit_reasoning(
    treatment: &mut Treatment,
    references: &ModelMap<ModelRef>,
    sampling: &Sampling,
) -> Vec<String> {
    let mut left_out = Vec::new();
    let mut fit = |of: &str, model: &ModelRef, settings: &AgentSettings| {
        let (settings, sentences) = models::fit_reasoning(of, model, sampling, settings.clone());
        left_out.extend(sentences);
        settings
    };
    if treatment.overrides.definition.is_some() {
        treatment.root = fit("--prompt", references.main(), &treatment.root);
    }
    let model_of = |specialist: &Specialist| {
        let name = specialist.model.as_str();
        let mut aliases = references.aliases();
        let named = aliases.find(|(alias, model)| [*alias, model.as_str()].contains(&name));
        match named {
            Some((_, model)) => model,
            None if name == "default" => references.of(CallerRole::Agent, 1),
            None => references.main(),
        }
    };
    treatment.tools.change_settings(|specialist| {
        let of = format!("prompt `{}`", specialist.name);
        fit(&of, model_of(specialist), &specialist.settings)
    });
    left_out
}

/// Returns the flags as if the setting had not been given, also in a file (`--persona-file`). Of a
/// flag with several values, only those of the setting are removed, each as `VALUE` or `VALUE=…`.
///
/// # Errors
/// A sentence about a flag that cannot be parsed again.
pub fn clear_flag(args: &EngineArgs, setting: &ExplicitSetting) -> Result<EngineArgs, String> {
    change_flags(args, &[&*setting.flag], &mut |key, given| {
        match given {
            Value::Array(values) => values.retain(|one| {
                let one = one.as_str().unwrap_or_default();
                let name = one.split('=').next().unwrap_or_default().trim();
                setting.value.split(',').all(|removed| removed != name)
            }),
            // The default would select a profile for the model.
            _ if key == "profile" => *given = NONE.into(),
            _ => return false,
        }
        true
    })
}

/// Returns the flags as if none of `flags` had been given.
///
/// # Errors
/// Like [`clear_flag`].
pub fn reset_flags(args: &EngineArgs, flags: &[&str]) -> Result<EngineArgs, String> {
    change_flags(args, flags, &mut |_, _| false)
}

/// Changes the values of `flags`, also in files (`--persona-file`), and removes those for which
/// `change` returns false.
fn change_flags(
    args: &EngineArgs,
    flags: &[&str],
    change: &mut impl FnMut(&str, &mut Value) -> bool,
) -> Result<EngineArgs, String> {
    let keys = flags.iter();
    let keys = keys.flat_map(|flag| recorded_flags::keys_of::<EngineArgs>(flag));
    let keys: Vec<String> = keys.collect();
    let is_changed = |key: &str| keys.iter().any(|changed| changed == key);
    let mut recorded = fields(args);
    recorded_flags::retain(&mut recorded, &mut |key, given| {
        let is_flag = is_changed(key) || key.strip_suffix("_file").is_some_and(is_changed);
        !is_flag || change(key, given)
    });
    Ok(EngineArgs {
        // Permissions are not recorded.
        powers: args.powers.clone(),
        ..recorded_flags::read(&Value::Object(recorded))?
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Args, Command};
    use harness::treatment::ExplicitSetting;

    use crate::settings::{BudgetArgs, EngineArgs, ModelArgs, PowerArgs, StoreArgs, TrafficArgs};

    /// Flags that are not checked for an effect: folders and files that other flags refer to, and
    /// flags that affect every run or only its recording.
    const UNCHECKED: [&str; 15] = [
        "append-system-prompt-file",
        "attempt-timeout",
        "attempts-per-worker",
        "date",
        "drivers-dir",
        "files-dir",
        "hooks-dir",
        "model",
        "persona-file",
        "profiles-file",
        "prompts-dir",
        "protocol",
        "screenshots",
        "tools-dir",
        "windows",
    ];

    fn flags(command: &Command) -> BTreeSet<String> {
        let arguments = command.get_arguments();
        let flags = arguments.filter_map(|argument| argument.get_long());
        flags.map(str::to_owned).collect()
    }

    #[test]
    fn every_flag_of_agents_is_checked() {
        let all = flags(&EngineArgs::augment_args(Command::new("all")));
        let others = Command::new("others");
        let others = ModelArgs::augment_args(BudgetArgs::augment_args(others));
        let others = TrafficArgs::augment_args(StoreArgs::augment_args(others));
        let mut others = flags(&PowerArgs::augment_args(others));
        others.remove("stop-early");
        let of_agents: BTreeSet<&str> = all.difference(&others).map(String::as_str).collect();
        let checked: Vec<String> = ExplicitSetting::flags().collect();
        let checked = checked.iter().map(|flag| flag.trim_start_matches('-'));
        let known: BTreeSet<&str> = checked.chain(UNCHECKED).collect();
        assert_eq!(of_agents, known);
    }
}
