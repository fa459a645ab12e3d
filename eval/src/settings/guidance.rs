//! What shapes the agents: prompt mode, protocol, depth, drivers, profile, models, prompt overrides
//! and answer schema.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use harness::hook::HookRegistry;
use harness::prompt::{
    AnswerSchema, Driver, DriverLibrary, ModelAlias, Profile, Profiles, ReplApi, parse_aliases,
};
use harness::settings::PromptSettings;
use harness::treatment::NoEffect;
use harness::{ModelMap, ModelSlot, Protocol, properties_without_effect, protocol_help};
use serde::Serialize;

use super::error::DRIVERS;
use super::layers::PromptOverrideSettings;
use super::values::{names, one_of};
use super::{CompactionArgs, McpServer, PromptOverrideArgs, Resolved, SettingsError, layers};
use crate::providers::{ModelRef, profile_name};

/// Flags that shape the agents' prompts, models and depth.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct GuidanceArgs {
    /// How the model works.
    #[arg(
        long,
        help = protocol_help(),
        default_value_t,
        value_name = "PROTOCOL",
        value_parser = one_of::<Protocol>(Protocol::ALL.map(Protocol::as_str))
    )]
    pub protocol: Protocol,

    /// Settings of the built-in prompts.
    #[command(flatten)]
    #[serde(flatten)]
    pub prompts: PromptSettings,

    /// How much of the REPL the prompts describe: the basic functions (standard), or also maps,
    /// typed answers, limits, identical and cancelled calls, and the progress of calls (extended).
    /// All functions work with both
    #[arg(
        long,
        default_value = "standard",
        value_name = "WHICH",
        value_parser = one_of::<ReplApi>(ReplApi::WORDS)
    )]
    pub repl_api: ReplApi,

    /// Drivers (guidance) added to the root's prompt, in this order, after those of the profile;
    /// each must support the protocol; see `rlm-eval list drivers`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub drivers: Vec<String>,

    /// Folder of your own driver files (*.md); a file with the name of a bundled driver replaces it
    #[arg(long, value_name = "DIR")]
    pub drivers_dir: Option<PathBuf>,

    /// Profile, a list of drivers for a model family: a NAME from `rlm-eval list profiles`, `auto`
    /// for the profile that matches the model's name, or `none`. Drivers that do not support the
    /// protocol are skipped
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub profile: String,

    /// YAML file of your own profiles, which are tried first
    #[arg(long, value_name = "FILE")]
    pub profiles_file: Option<PathBuf>,

    /// Another model that agents may call, as ALIAS=PROVIDER/MODEL[:TAG,TAG…]; repeatable, or
    /// several separated by `;`
    #[arg(long = "model-alias", value_name = "SPEC", value_delimiter = ';')]
    pub model_aliases: Vec<String>,

    /// Model of all agents below the root, unless they name a model, whether called by `rlm()` or
    /// by the name of a prompt [default: the root's]
    #[arg(long, value_name = "REF")]
    pub child_model: Option<ModelRef>,

    /// Model of `llm()` calls that do not name a model [default: the root's]
    #[arg(long, value_name = "REF")]
    pub llm_model: Option<ModelRef>,

    /// Model of the agents at a depth, as DEPTH=REF, unless they name a model; children of the root
    /// have depth 1. It takes precedence over --child-model and, without --llm-model, applies to
    /// `llm()` calls; repeatable
    #[arg(long = "model-at-depth", value_name = "DEPTH=REF")]
    pub model_at_depth: Vec<String>,

    /// Compaction of long conversations.
    #[command(flatten)]
    pub long_conversations: CompactionArgs,

    /// File with a JSON Schema for the root's answer. If an answer does not conform, the root is
    /// asked again, at most twice [default: any answer]
    #[arg(long, value_name = "FILE")]
    pub answer_schema: Option<PathBuf>,

    /// Overrides of the prompts.
    #[command(flatten)]
    pub layers: PromptOverrideArgs,
}

/// Resolved guidance of a run's agents.
#[derive(Debug, Clone)]
pub(super) struct Guidance {
    /// Drivers of the profile, followed by those named by the user.
    pub drivers: Vec<Driver>,
    /// Name of the profile, if it adds drivers.
    pub profile: Option<String>,
    /// Names of the drivers that the profile adds.
    pub of_profile: Vec<String>,
    /// References of the models; that of the main model is empty if it is unknown.
    pub models: ModelMap<String>,
    pub layers: PromptOverrideSettings,
    /// Schema of the root's answer.
    pub answer_schema: Option<AnswerSchema>,
}

/// Returns the names under which agents may call models.
///
/// # Errors
/// [`SettingsError`] for an invalid alias.
pub fn alias_names(args: &GuidanceArgs) -> Result<Vec<String>, SettingsError> {
    Ok(aliases(args)?
        .into_iter()
        .map(|alias| alias.alias)
        .collect())
}

/// Parses `--model-alias`: the models that agents may call by name.
///
/// # Errors
/// [`SettingsError`] for an invalid alias.
pub(super) fn aliases(args: &GuidanceArgs) -> Result<Vec<ModelAlias>, SettingsError> {
    Ok(parse_aliases(&names(&args.model_aliases))?)
}

/// Resolves the flags. Without a model, `--profile auto` finds no profile. The profile's drivers
/// that do not support the protocol are skipped.
///
/// # Errors
/// A [`SettingsError`] that names the unsuitable driver, or the invalid name or file.
pub(super) fn resolve(
    args: &GuidanceArgs,
    model: Option<&str>,
    hooks: &HookRegistry,
    servers: &[McpServer],
) -> Result<Resolved<Guidance>, SettingsError> {
    let mut library = DriverLibrary::bundled();
    if let Some(folder) = &args.drivers_dir {
        library = library.with_dir(folder)?;
    }
    let mut notes = Vec::new();
    let profile = profile(args, model)?;
    let applied = match &profile {
        Some(profile) => apply(profile, &library, args, &mut notes)?,
        None => Vec::new(),
    };
    let typed = library.resolve(&names(&args.drivers))?;
    for driver in &typed {
        driver.fits(args.protocol)?;
    }
    let of_profile: Vec<String> = applied.iter().map(|driver| driver.name.clone()).collect();
    let typed_names = typed.iter().map(|driver| driver.name.clone());
    let driver_names: Vec<String> = of_profile.iter().cloned().chain(typed_names).collect();
    let drivers = library.resolve(&driver_names)?;

    let aliases = aliases(args)?;
    let alias_names: Vec<String> = aliases.iter().map(|alias| alias.alias.clone()).collect();
    let mut layers = layers::resolve(&args.layers, &alias_names, hooks, servers)?;
    layers.overrides.repl_api = args.repl_api;
    notes.append(&mut layers.notes);
    let warnings = idle(&layers, args.protocol).into_iter().collect();

    Ok(Resolved {
        warnings,
        notes,
        settings: Guidance {
            drivers,
            profile: profile
                .map(|profile| profile.name)
                .filter(|_| !of_profile.is_empty()),
            of_profile,
            models: models(args, model, aliases)?,
            layers,
            answer_schema: args
                .answer_schema
                .as_deref()
                .map(answer_schema)
                .transpose()?,
        },
    })
}

/// Returns the references of the models. Those of aliases need not be valid.
fn models(
    args: &GuidanceArgs,
    main: Option<&str>,
    aliases: Vec<ModelAlias>,
) -> Result<ModelMap<String>, SettingsError> {
    let mut models = ModelMap::new(main.unwrap_or_default().to_owned());
    for alias in aliases {
        models.insert_alias(alias);
    }
    let others = [
        (ModelSlot::Child, &args.child_model),
        (ModelSlot::Llm, &args.llm_model),
        (
            ModelSlot::Summaries,
            &args.long_conversations.compaction_model,
        ),
    ];
    for (slot, model) in others {
        if let Some(model) = model {
            models.insert(slot, model.to_string());
        }
    }
    for given in &args.model_at_depth {
        let wrong = |problem: &str| {
            let problem = format!("--model-at-depth {given}: {problem}");
            SettingsError::with_hint(
                problem,
                "write it as DEPTH=REF: --model-at-depth 1=openai/gpt-5-mini",
            )
        };
        let (depth, model) = given
            .split_once('=')
            .ok_or_else(|| wrong("expected a depth, `=` and a model"))?;
        let depth: u32 = depth
            .trim()
            .parse()
            .map_err(|_| wrong("the depth is not a whole number"))?;
        if depth == 0 {
            return Err(wrong("the root has depth 0; set its model with --model"));
        }
        let most = args.prompts.max_depth;
        if depth > most {
            return Err(wrong(&format!(
                "no agent is deeper than {most} (--max-depth)"
            )));
        }
        let model =
            (model.trim().parse::<ModelRef>()).map_err(|error| wrong(&error.to_string()))?;
        let slot = ModelSlot::Depth(depth);
        if models.insert(slot, model.to_string()).is_some() {
            return Err(wrong("this depth already has a model"));
        }
    }
    Ok(models)
}

fn answer_schema(file: &Path) -> Result<AnswerSchema, SettingsError> {
    let wrong = |why: String| {
        let problem = format!("--answer-schema {}: {why}", file.display());
        SettingsError::with_hint(
            problem,
            "pass a file with a JSON Schema, such as {\"type\": \"integer\"}; see \
             docs/guides/typed-answers.md",
        )
    };
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let json = serde_json::from_str(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    AnswerSchema::new(json).map_err(wrong)
}

/// Returns a warning about properties of the root's definition that have no effect in this
/// protocol.
fn idle(layers: &PromptOverrideSettings, protocol: Protocol) -> Option<String> {
    let definition = layers.definition.as_ref()?;
    let idle = properties_without_effect(definition, protocol);
    (!idle.is_empty()).then(|| {
        format!(
            "definition `{}`: these properties have no effect in the {protocol} protocol: {}",
            definition.name,
            idle.join(", ")
        )
    })
}

/// Returns the drivers of a profile that support the protocol. Adds a note that lists the skipped
/// drivers and, with `--profile auto`, one that lists the returned drivers.
fn apply(
    profile: &Profile,
    library: &DriverLibrary,
    args: &GuidanceArgs,
    notes: &mut Vec<String>,
) -> Result<Vec<Driver>, SettingsError> {
    let Profile { name, drivers, .. } = profile;
    let all = library.resolve(drivers).map_err(|problem| {
        SettingsError::with_hint(format!("profile `{name}`: {problem}"), DRIVERS)
    })?;
    let protocol = args.protocol;
    let (fit, unfit): (Vec<Driver>, Vec<Driver>) = all
        .into_iter()
        .partition(|driver| driver.fits(protocol).is_ok());
    let list = |drivers: &[Driver]| -> String {
        let names: Vec<&str> = drivers.iter().map(|driver| driver.name.as_str()).collect();
        names.join(", ")
    };
    let is_auto = args.profile.trim() == AUTO;
    if fit.is_empty() && !is_auto {
        return Err(NoEffect::profile(name, drivers, protocol).into());
    }
    if is_auto && !fit.is_empty() {
        notes.push(format!(
            "profile `{name}` matches the model and adds the drivers {}; --profile none omits them",
            list(&fit)
        ));
    }
    if !unfit.is_empty() {
        notes.push(format!(
            "profile `{name}`: drivers that are not written for the {protocol} protocol are skipped: {}",
            list(&unfit)
        ));
    }
    Ok(fit)
}

/// Value of `--profile` that selects the profile that matches the model.
pub(super) const AUTO: &str = "auto";
/// Value of `--profile` that selects no profile.
pub(super) const NONE: &str = "none";

fn profile(args: &GuidanceArgs, model: Option<&str>) -> Result<Option<Profile>, SettingsError> {
    let mut profiles = Profiles::bundled();
    if let Some(file) = &args.profiles_file {
        profiles = profiles.with_file(file)?;
    }
    Ok(match args.profile.trim() {
        AUTO => model
            .and_then(profile_name)
            .and_then(|model| profiles.for_model(model))
            .cloned(),
        NONE => None,
        name => Some(profiles.by_name(name)?.clone()),
    })
}
