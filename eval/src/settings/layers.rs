//! Prompt overrides: definitions, user-supplied sections, the root's name and persona, additions to
//! its prompt, and the date.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Args};
use harness::hook::{Hook, HookRegistry};
use harness::prompt::definition::{Definition, Fault, Faults, Kind, Known, Library};
use harness::prompt::{ActionOverrides, PromptOverrides, ReplApi, Replacement, RootDefinition};
use harness::read_text_file;
use harness::tool::{FILES_DIR, ToolRegistry};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::scripts::tool_registry;
use super::{Granted, McpServer, SettingsError};
use crate::providers;

/// Overrides of the agents' prompts.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Prompt")]
pub struct PromptOverrideArgs {
    /// Folder of your own prompt definitions and fragments (*.md, *.yaml, *.json); a fragment with
    /// the name of a bundled section replaces it; see `rlm-eval list prompts`
    #[arg(long, value_name = "DIR")]
    pub prompts_dir: Option<Granted<PathBuf>>,

    /// Folder of your own tools: JavaScript files (*.js), which run in a sandbox; see
    /// docs/reference/tools.md
    #[arg(long, value_name = "DIR")]
    pub tools_dir: Option<Granted<PathBuf>>,

    /// Folder of your own hooks (*.js); a file with the name of a bundled hook replaces it
    #[arg(long, value_name = "DIR")]
    pub hooks_dir: Option<Granted<PathBuf>>,

    /// Prompt definition for the root, instead of its protocol's prompt
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,

    /// Name of the root agent
    #[arg(long, value_name = "NAME")]
    pub agent_name: Option<String>,

    /// Site or task that the root works on
    #[arg(long, value_name = "TEXT")]
    pub site: Option<String>,

    /// Date in all prompts, as YYYY-MM-DD; a resumed run keeps its date [default: today, in UTC]
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,

    /// Persona of the root: who it is and how it speaks; follows the line with name and date
    #[arg(long, value_name = "TEXT", conflicts_with = "persona_file")]
    pub persona: Option<String>,

    /// File with the persona
    #[arg(long, value_name = "FILE")]
    pub persona_file: Option<PathBuf>,

    /// Text to append to the root's prompt
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "append_system_prompt_file"
    )]
    pub append_system_prompt: Option<String>,

    /// File with the text to append to the root's prompt
    #[arg(long, value_name = "FILE")]
    pub append_system_prompt_file: Option<PathBuf>,

    /// File that replaces the root's prompt; a line `{{default}}` in it is replaced by the original
    /// prompt. --append-system-prompt then has no effect
    #[arg(long, value_name = "FILE")]
    pub system_prompt_file: Option<PathBuf>,

    /// YAML or JSON file that changes descriptions of tools: `NAME: {appendDescription: TEXT}`
    /// appends to a tool's description, `NAME: {description: TEXT}` replaces it
    #[arg(long, value_name = "FILE")]
    pub action_overrides: Option<PathBuf>,
}

impl PromptOverrideArgs {
    /// Clears the flags that those in `given`, which the caller sets next, replace or exclude.
    pub(crate) fn clear_excluded_by(&mut self, given: &ArgMatches) {
        let is_given = |id| matches!(given.try_contains_id(id), Ok(true));
        if is_given("persona") || is_given("persona_file") {
            (self.persona, self.persona_file) = (None, None);
        }
        if is_given("append_system_prompt") || is_given("append_system_prompt_file") {
            (self.append_system_prompt, self.append_system_prompt_file) = (None, None);
        }
    }
}

/// Resolved prompt overrides of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct PromptOverrideSettings {
    /// Texts that change the prompts, including the date.
    pub overrides: PromptOverrides,
    /// Definition of the root.
    pub definition: Option<Definition>,
    /// Models that the user's definitions name, whether or not an agent of the run uses them.
    pub named_models: BTreeSet<String>,
    /// Notes about files in `--prompts-dir` that are not definitions.
    pub notes: Vec<String>,
}

/// Name by which a definition refers to the run's main model.
pub const DEFAULT_MODEL: &str = "default";
/// Maximum size of an override's text in bytes.
const MAX_BYTES: usize = 1_000_000;

/// Resolves the flags. A definition may refer to the models in `aliases`, the hooks in `hooks` and
/// the tools of `servers`.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag, or for all errors in the definitions together.
pub(super) fn resolve(
    args: &PromptOverrideArgs,
    aliases: &[String],
    hooks: &HookRegistry,
    servers: &[McpServer],
) -> Result<PromptOverrideSettings, SettingsError> {
    let library = library(args.prompts_dir.as_deref())?;
    let sections = own_sections(&library)?;
    let own = library.iter().filter(|definition| definition.is_own());
    let named_models = own.map(|definition| definition.model.clone()).collect();
    let definition = match args.prompt.as_deref().map(str::trim) {
        Some(name) => {
            let tools = tool_registry(args.tools_dir.as_deref(), servers)?;
            let known = known(aliases, &tools, hooks);
            Some(definition(&library, name, &known)?)
        }
        None => None,
    };
    let root_definition = definition
        .as_ref()
        .map(|definition| root_definition(&library, definition, hooks))
        .transpose()?;
    let text = |given: Option<&String>, file: Option<&Path>, flag: &'static str| match file {
        Some(path) => read(path, flag),
        None => Ok(given.cloned().unwrap_or_default()),
    };
    let persona = text(
        args.persona.as_ref(),
        args.persona_file.as_deref(),
        "--persona-file",
    )?;
    let append = text(
        args.append_system_prompt.as_ref(),
        args.append_system_prompt_file.as_deref(),
        "--append-system-prompt-file",
    )?;
    let replacement = args.system_prompt_file.as_deref().map(replacement);
    let replacement = replacement.transpose()?;
    let agent_name = line("--agent-name", args.agent_name.as_deref())?;
    let site = line("--site", args.site.as_deref())?;
    let layers = PromptOverrides {
        date: date(args.date.as_deref())?,
        agent_name,
        site,
        persona,
        append,
        replacement,
        definition: root_definition,
        sections,
        // `guidance::resolve` sets this from `--repl-api`.
        repl_api: ReplApi::default(),
        actions: actions(args.action_overrides.as_deref())?,
    };
    Ok(PromptOverrideSettings {
        overrides: layers,
        definition,
        named_models,
        notes: library.notes(),
    })
}

/// Returns the bundled definitions and, if a folder is given, the definitions in it.
///
/// # Errors
/// A [`SettingsError`] that lists the errors in all files.
pub fn library(folder: Option<&Path>) -> Result<Library, SettingsError> {
    let library = Library::bundled();
    Ok(match folder {
        Some(folder) => library.with_dir(folder)?,
        None => library,
    })
}

/// Returns the names that definitions may refer to, given these model aliases.
pub fn known(aliases: &[String], tools: &ToolRegistry, hooks: &HookRegistry) -> Known {
    let models = aliases.iter().cloned();
    Known {
        models: models.chain([DEFAULT_MODEL.to_owned()]).collect(),
        model_prefixes: providers::names().map(|name| format!("{name}/")).collect(),
        tools: tools
            .all()
            .map(|tool| {
                let variables = tool.variables().iter();
                // `--files-dir` sets this variable, so definitions need not declare it.
                let variables = variables.filter(|variable| variable.name != FILES_DIR);
                let variables = variables.map(|variable| variable.name.clone());
                (tool.spec().name.clone(), variables.collect())
            })
            .collect(),
        hooks: hooks.all().map(|hook| hook.name().to_owned()).collect(),
    }
}

fn definition(library: &Library, name: &str, known: &Known) -> Result<Definition, SettingsError> {
    let unknown = |problem: String| {
        let hint = "`rlm-eval list prompts` lists the valid names; --prompts-dir adds your own";
        SettingsError::with_hint(format!("--prompt: {problem}"), hint)
    };
    let definition = library.get(name).map_err(unknown)?;
    if definition.kind == Kind::Fragment {
        return Err(unknown(format!(
            "`{name}` is a fragment, which has no model and cannot be run"
        )));
    }
    if definition.kind == Kind::Agent {
        return Err(unknown(format!(
            "`{name}` is a two-sided agent, which cannot be the root: list it in the `tools` of a prompt"
        )));
    }
    let faults = library.check_one(definition, known);
    if faults.is_empty() {
        return Ok(definition.clone());
    }
    let of_model =
        |fault: &Fault| fault.place.field == "model" && fault.problem.starts_with("unknown model");
    if faults.iter().all(of_model) {
        let hint = format!(
            "define the name with --model-alias {}=PROVIDER/MODEL",
            definition.model
        );
        return Err(SettingsError::with_hint(Faults(faults).to_string(), hint));
    }
    Err(Faults(faults).into())
}

/// Returns user-supplied texts that replace bundled sections, with their includes resolved.
fn own_sections(library: &Library) -> Result<BTreeMap<String, String>, SettingsError> {
    let mut sections = BTreeMap::new();
    for definition in library.overridden() {
        let text = library.resolve(definition)?.text();
        sections.insert(definition.name.clone(), text);
    }
    Ok(sections)
}

fn root_definition(
    library: &Library,
    definition: &Definition,
    hooks: &HookRegistry,
) -> Result<RootDefinition, SettingsError> {
    let listed = definition.hooks.as_deref();
    let listed = listed.map(|names| hooks.resolve(names)).transpose()?;
    let version = |hook: Arc<dyn Hook>| (hook.name().to_owned(), hook.digest().to_owned());
    Ok(RootDefinition {
        name: definition.name.clone(),
        digest: definition.digest.clone(),
        pieces: library.resolve(definition)?.into_pieces(library),
        hooks: listed.map(|hooks| hooks.into_iter().map(version).collect()),
    })
}

fn read(path: &Path, flag: &'static str) -> Result<String, SettingsError> {
    let text = read_text_file(path).map_err(|error| wrong_file(flag, path, error))?;
    if text.len() > MAX_BYTES {
        let reason = format!("it is longer than {MAX_BYTES} bytes");
        return Err(wrong_file(flag, path, reason));
    }
    Ok(text)
}

fn wrong_file(flag: &str, path: &Path, reason: impl Display) -> SettingsError {
    SettingsError::new(format!("{flag}: {}: {reason}", path.display()))
}

fn replacement(path: &Path) -> Result<Replacement, SettingsError> {
    const FLAG: &str = "--system-prompt-file";
    Replacement::parse(&read(path, FLAG)?).map_err(|error| wrong_file(FLAG, path, error))
}

fn actions(path: Option<&Path>) -> Result<ActionOverrides, SettingsError> {
    const FLAG: &str = "--action-overrides";
    let Some(path) = path else {
        return Ok(ActionOverrides::default());
    };
    let text = read(path, FLAG)?;
    harness::yaml::read(&text).map_err(|error| wrong_file(FLAG, path, error))
}

/// Parses a name that must fit on one line of a prompt.
fn line(flag: &'static str, given: Option<&str>) -> Result<String, SettingsError> {
    let text = given.unwrap_or_default().trim();
    if text.chars().any(char::is_control) {
        let problem = format!("{flag}: expected one line without control characters");
        return Err(SettingsError::new(problem));
    }
    Ok(text.to_owned())
}

/// Returns the current date in UTC.
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// Returns the given date, or today's in UTC.
fn date(given: Option<&str>) -> Result<String, SettingsError> {
    let day = match given.map(str::trim) {
        None => today(),
        Some(given) => given
            .parse::<Date>()
            .ok()
            .filter(|day| day.to_string() == given)
            .ok_or_else(|| {
                let problem = format!("--date: invalid date `{given}`: expected YYYY-MM-DD");
                SettingsError::new(problem)
            })?,
    };
    Ok(day.to_string())
}
