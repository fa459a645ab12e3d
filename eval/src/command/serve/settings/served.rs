//! Flags and settings of the named agents that clients can call.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};
use harness::settings::PromptMode;
use harness::{Budget, nearest};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::providers::ModelRef;
use crate::run::protocol_fit;
use crate::settings::engine::main_model;
use crate::settings::flags::{NotFromFile, ids};
use crate::settings::places::unconfirmed_in_file;
use crate::settings::powers::is_permission;
use crate::settings::values::{to_words, whole};
use crate::settings::{
    EngineArgs, EngineSettings, Keys, LimitArgs, Resolved, RunMode, SettingsError, recorded_fields,
    recorded_flags,
};

/// Agents that clients can call, and the folder of their trajectories.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Server")]
pub struct ServedArgs {
    /// Further model to serve besides --model, with the same settings; repeatable
    #[arg(long, value_name = "REF")]
    pub also_model: Vec<ModelRef>,

    /// YAML file of agents with their own names and flags, see docs/guides/serve.md [default: none]
    #[arg(long, value_name = "FILE", add = NotFromFile)]
    pub agents: Option<PathBuf>,

    /// Number of sandboxes kept ready for each name, so that this many concurrent requests start
    /// without waiting. Each sandbox needs a few MB of memory; if attempts share workers, no
    /// sandboxes are kept ready
    #[arg(long, default_value_t = 2, value_parser = whole::<usize>(0..=10_000), value_name = "N")]
    pub ready: usize,

    /// Folder for the run directories with the trajectories of requests. Each name that clients use
    /// gets its own run directory
    #[arg(long, default_value = "results", value_name = "DIR", add = NotFromFile)]
    pub log_dir: PathBuf,
}

impl ServedArgs {
    /// Returns the distinct models of `--model` and `--also-model`.
    ///
    /// # Errors
    /// [`SettingsError`] if neither `--model` nor the root's definition names a model.
    pub(in crate::command) fn models(
        &self,
        engine: &EngineArgs,
    ) -> Result<Vec<ModelRef>, SettingsError> {
        let mut models = vec![main_model(engine)?.0];
        for model in &self.also_model {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
        Ok(models)
    }
}

/// Agents that clients can call.
#[derive(Debug, Clone)]
pub struct ServedSettings {
    /// Name, description and settings of each agent.
    pub agents: Vec<(String, String, EngineSettings)>,
    /// Parent folder of the run directories.
    pub log_dir: PathBuf,
    /// Number of sandboxes kept ready for each agent.
    pub ready: usize,
    /// Budget shared by all agents.
    pub budget: Budget,
}

impl ServedSettings {
    /// Raises the default limit of connections to models, so that it does not limit concurrent
    /// agents.
    pub(in crate::command) fn allow_concurrent(&mut self, agents: usize) {
        for (_, _, settings) in &mut self.agents {
            settings.traffic.allow_concurrent(agents);
        }
    }

    /// Resolves the flags: the agents of each model, as in `named`, and those in the `--agents`
    /// file.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag or agent.
    pub fn resolve(
        args: &ServedArgs,
        engine: &EngineArgs,
    ) -> Result<Resolved<Self>, SettingsError> {
        if engine.store.record.is_some() {
            return Err(SettingsError::with_hint(
                "--record: a cassette records one run, but served agents have several",
                "the run directories contain all responses: `--model replay:DIR` plays one back",
            ));
        }
        let mut resolved = Resolved {
            settings: Self {
                agents: Vec::new(),
                log_dir: args.log_dir.clone(),
                ready: args.ready,
                budget: engine.budget.of_run(),
            },
            notes: Vec::new(),
            warnings: Vec::new(),
        };
        for model in args.models(engine)? {
            let mut flags = engine.clone();
            flags.model = Some(model.clone());
            for (name, flags) in named(&model, flags) {
                resolved.add(name, None, &flags)?;
            }
        }
        if let Some(path) = &args.agents {
            for (name, mut flags) in read::<BTreeMap<String, Map<String, Value>>>(path)? {
                let place = format!("{}: agent `{name}`", path.display());
                let wrong = |problem: String| SettingsError::new(format!("{place}: {problem}"));
                let description = flags.remove("description").map(|text| match text {
                    Value::String(text) => text,
                    other => other.to_string(),
                });
                check_name(&name).map_err(wrong)?;
                let mut known = resolved.settings.agents.iter();
                if known.any(|(known, ..)| *known == name) {
                    return Err(wrong("a model already has this name".to_owned()));
                }
                let flags = merge_flags(engine, &flags).map_err(wrong)?;
                let added = resolved.add(name, description, &flags);
                added.map_err(|error| match error.hint() {
                    None => wrong(error.to_string()),
                    Some(hint) => SettingsError::with_hint(format!("{place}: {error}"), hint),
                })?;
            }
        }
        Ok(resolved)
    }
}

impl Resolved<ServedSettings> {
    /// Adds an agent.
    ///
    /// # Errors
    /// A [`SettingsError`] for flags that a served agent does not support.
    pub(in crate::command) fn add(
        &mut self,
        name: String,
        description: Option<String>,
        flags: &EngineArgs,
    ) -> Result<(), SettingsError> {
        let engine = EngineSettings::resolve(flags, Keys::Needed, RunMode::New)?;
        let notes = (&mut self.notes, engine.notes);
        for (known, texts) in [notes, (&mut self.warnings, engine.warnings)] {
            for text in texts {
                if !known.contains(&text) {
                    known.push(text);
                }
            }
        }
        let mut engine = engine.settings;
        // All agents share one budget, to which each request is charged.
        engine.conduct.budget = Budget::default();
        let unfit = |error: protocol_fit::UnfitProtocol| SettingsError::new(error.to_string());
        protocol_fit::check_question(&engine.treatment, None).map_err(unfit)?;
        let nobody = "a server cannot ask its clients";
        protocol_fit::check_nobody_answers(&engine.treatment, nobody).map_err(unfit)?;
        let description = description.unwrap_or_else(|| {
            let word = engine.effective.word(engine.treatment.protocol);
            format!("{} as a {word} agent", engine.references.main())
        });
        self.settings.agents.push((name, description, engine));
        Ok(())
    }
}

/// Returns the names under which a model is served, each with its flags. A model that can delegate
/// is also served as a coordinator.
fn named(model: &ModelRef, flags: EngineArgs) -> Vec<(String, EngineArgs)> {
    let protocol = flags.guidance.protocol;
    if !protocol.capabilities().has_modes() {
        return vec![(format!("{protocol}/{model}"), flags)];
    }
    let delegates = flags.guidance.prompts.max_depth >= 2;
    let coordinator = || {
        let mut flags = flags.clone();
        flags.guidance.prompts.prompt_mode = PromptMode::Coordinator;
        (format!("{protocol}-coordinator/{model}"), flags)
    };
    if flags.guidance.prompts.prompt_mode == PromptMode::Coordinator {
        return vec![coordinator()];
    }
    let mut all = vec![(format!("{protocol}/{model}"), flags.clone())];
    if delegates {
        all.push(coordinator());
    }
    all
}

/// Returns the command-line flags, overridden by those of an agent.
fn merge_flags(engine: &EngineArgs, own: &Map<String, Value>) -> Result<EngineArgs, String> {
    let command = EngineArgs::augment_args(Command::new("agent"));
    let known = command.get_arguments();
    let known = known.filter_map(|argument| Some((argument.get_long()?, argument)));
    let known: HashMap<&str, &Arg> = known.collect();
    let limits = ids::<LimitArgs>();
    let mut flags = recorded_fields(engine);
    for (flag, value) in own {
        let Some(argument) = known.get(flag.as_str()) else {
            let near = nearest(flag, known.keys().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            return Err(format!("unknown flag `{flag}`{}", near.unwrap_or_default()));
        };
        let id = argument.get_id().as_str();
        if is_permission(id) {
            return Err(format!(
                "`{flag}` is a permission, which a file cannot grant: pass --{flag} on the command line"
            ));
        }
        if limits.contains(id) || id == "time_limit" {
            return Err(format!(
                "`{flag}` limits the whole server, so pass it on the command line; the flags \
                 `attempt-…` limit each request"
            ));
        }
        // `null` stands for the default.
        let words = match value {
            Value::Null => Vec::new(),
            value => to_words(value).map_err(|problem| format!("`{flag}`: {problem}"))?,
        };
        let keys = recorded_flags::keys_of::<EngineArgs>(flag);
        let mut is_same = false;
        recorded_flags::retain(&mut flags, &mut |key, given| {
            let is_flag = keys.iter().any(|own| own == key);
            is_same |= is_flag && to_words(given).is_ok_and(|given| given == words);
            !is_flag
        });
        if let Some(place) = unconfirmed_in_file(argument, &words).filter(|_| !is_same) {
            return Err(format!(
                "only the file names {place}: servers, files and folders must also be given on the \
                 command line"
            ));
        }
        flags.insert(id.to_owned(), value.clone());
    }
    Ok(EngineArgs {
        // Permissions come only from the command line and the environment.
        powers: engine.powers.clone(),
        ..recorded_flags::read(&Value::Object(flags))?
    })
}

/// Checks the name of an agent or client.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if !name.is_empty() && name.len() <= 100 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err("invalid name: expected 1 to 100 letters, digits and `-`, `_`, `.`, `/`, `:`".to_owned())
}

/// Reads a YAML file.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, SettingsError> {
    let text = fs::read_to_string(path).map_err(|error| SettingsError::unreadable(path, error))?;
    harness::yaml::read(&text)
        .map_err(|problem| SettingsError::new(format!("{}: {problem}", path.display())))
}
