//! Flags and settings of `rlm-eval serve`: the named agents, and the clients that may call them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use clap::Args;
use globset::{Glob, GlobSet, GlobSetBuilder};
use harness::prompt::PromptMode;
use harness::provider::http::Secret;
use harness::{Budget, nearest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serve::{Client, Clients, DEFAULT_LONG_TEXT, KeyHash, Limits};

use super::engine::main_model;
use super::flags::NotFromFile;
use super::values::{Seconds, whole};
use super::{
    EngineArgs, EngineSettings, Keys, Resolved, RunMode, SettingsError, powers, recorded_fields,
    recorded_flags,
};
use crate::process::env_vars;
use crate::providers::ModelRef;
use crate::run::protocol_fit;

/// The flags of `rlm-eval serve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct ServeArgs {
    /// Address to listen on; without client keys, only loopback addresses are allowed
    #[arg(
        long,
        default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_name = "IP",
        help_heading = "Server",
        add = NotFromFile
    )]
    pub host: IpAddr,

    /// Port to listen on; 0 for any free port
    #[arg(
        long,
        default_value_t = 8000,
        value_name = "N",
        help_heading = "Server"
    )]
    pub port: u16,

    /// Maximum concurrent agents, each with its children; further requests wait
    #[arg(
        long,
        default_value_t = 64,
        value_parser = whole::<usize>(1..=100_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_concurrency: usize,

    /// Maximum waiting requests; further requests are rejected with status 429
    #[arg(
        long,
        default_value_t = 1_000,
        value_parser = whole::<usize>(0..=1_000_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_queue: usize,

    /// Maximum size of a request in MB (10^6 bytes)
    #[arg(
        long,
        default_value_t = 64,
        value_parser = whole::<usize>(1..=1_000),
        value_name = "MB",
        help_heading = "Server"
    )]
    pub max_request_size: usize,

    /// Maximum characters of a message, of instructions and of the earlier conversation in the
    /// query; longer texts move to the agent's `context`
    #[arg(
        long,
        default_value_t = DEFAULT_LONG_TEXT,
        value_parser = whole::<usize>(100..=100_000_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub long_text: usize,

    /// Seconds that requests in progress may continue after the first Ctrl-C or SIGTERM; a second
    /// signal stops them
    #[arg(
        long,
        default_value_t = Seconds::of(60),
        value_name = "SECONDS",
        help_heading = "Server"
    )]
    pub shutdown_timeout: Seconds,

    /// YAML file of the clients' keys and limits, see docs/guides/serve.md [default: the key in
    /// `EVAL_CLIENT_KEY`, or none]
    #[arg(long, value_name = "FILE", help_heading = "Server", add = NotFromFile)]
    pub client_keys: Option<PathBuf>,

    /// Agents to serve.
    #[command(flatten)]
    pub served: ServedArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
}

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

/// Minimum length of a key in characters; shorter keys can be guessed.
const MIN_KEY_CHARS: usize = 16;

/// Resolved settings of a server.
#[derive(Debug)]
pub struct ServeSettings {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Clients that may use the server.
    pub clients: Clients,
    /// Maximum concurrent agents.
    pub max_concurrency: usize,
    /// Maximum waiting requests.
    pub max_queue: usize,
    /// Maximum bytes of a request.
    pub max_request_bytes: usize,
    /// Maximum characters of each part of the query; longer parts move to the agent's context.
    pub long_text: usize,
    /// Time for requests to finish at shutdown.
    pub shutdown_timeout: Duration,
    /// Agents to serve.
    pub served: ServedSettings,
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

impl ServeSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag, agent or client.
    pub fn resolve(args: &ServeArgs) -> Result<Resolved<Self>, SettingsError> {
        let clients = clients(args.client_keys.as_deref())?;
        let mut served = ServedSettings::resolve(&args.served, &args.engine)?;
        served.settings.allow_concurrent(args.max_concurrency);
        Ok(served.map(|served| Self {
            address: SocketAddr::new(args.host, args.port),
            clients,
            max_concurrency: args.max_concurrency,
            max_queue: args.max_queue,
            max_request_bytes: args.max_request_size * 1_000_000,
            long_text: args.long_text,
            shutdown_timeout: *args.shutdown_timeout,
            served,
        }))
    }
}

impl ServedSettings {
    /// Raises the default limit of connections to models, so that it does not limit concurrent
    /// agents.
    pub(super) fn allow_concurrent(&mut self, agents: usize) {
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
        let mut models = vec![main_model(engine)?.0];
        for model in &args.also_model {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
        for model in models {
            let mut flags = engine.clone();
            flags.model = Some(model.clone());
            for (name, flags) in named(&model, flags) {
                resolved.add(name, None, &flags)?;
            }
        }
        if let Some(path) = &args.agents {
            for (name, flags) in read::<BTreeMap<String, Map<String, Value>>>(path)? {
                let wrong = |problem: String| {
                    SettingsError::new(format!("{}: agent `{name}`: {problem}", path.display()))
                };
                let mut flags = flags;
                let description = flags.remove("description").map(|text| match text {
                    Value::String(text) => text,
                    other => other.to_string(),
                });
                check_name(&name).map_err(wrong)?;
                if resolved
                    .settings
                    .agents
                    .iter()
                    .any(|(known, ..)| *known == name)
                {
                    return Err(wrong("a model already has this name".to_owned()));
                }
                let flags = merge_flags(engine, &flags).map_err(wrong)?;
                let added = resolved.add(name.clone(), description, &flags);
                added.map_err(|error| match error.hint() {
                    None => wrong(error.to_string()),
                    Some(hint) => SettingsError::with_hint(
                        format!("{}: agent `{name}`: {error}", path.display()),
                        hint,
                    ),
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
    pub(super) fn add(
        &mut self,
        name: String,
        description: Option<String>,
        flags: &EngineArgs,
    ) -> Result<(), SettingsError> {
        let engine = EngineSettings::resolve(flags, Keys::Needed, RunMode::New)?;
        let new = |known: &Vec<String>, text: &String| !known.contains(text);
        for note in engine.notes {
            if new(&self.notes, &note) {
                self.notes.push(note);
            }
        }
        for warning in engine.warnings {
            if new(&self.warnings, &warning) {
                self.warnings.push(warning);
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
    let delegates = flags.guidance.max_depth >= 2;
    let coordinator = || {
        let mut flags = flags.clone();
        flags.guidance.prompt_mode = PromptMode::Coordinator;
        (format!("{protocol}-coordinator/{model}"), flags)
    };
    if flags.guidance.prompt_mode == PromptMode::Coordinator {
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
    let command = EngineArgs::augment_args(clap::Command::new("agent"));
    let mut by_flag: HashMap<String, String> = HashMap::new();
    for argument in command.get_arguments() {
        if let Some(long) = argument.get_long() {
            by_flag.insert(long.to_owned(), argument.get_id().to_string());
        }
    }
    let mut flags = recorded_fields(engine);
    for (flag, value) in own {
        let Some(id) = by_flag.get(flag) else {
            let near = nearest(flag, by_flag.keys().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            return Err(format!("unknown flag `{flag}`{}", near.unwrap_or_default()));
        };
        if powers::is_permission(id) {
            return Err(format!(
                "`{flag}` is a permission, which a file cannot grant: pass --{flag} on the command line"
            ));
        }
        remove_flag(&mut flags, id);
        flags.insert(id.clone(), value.clone());
    }
    let mut read: EngineArgs = recorded_flags::read(&Value::Object(flags))?;
    // Permissions come only from the command line and the environment.
    read.powers.clone_from(&engine.powers);
    Ok(read)
}

fn remove_flag(flags: &mut Map<String, Value>, id: &str) {
    flags.remove(id);
    for group in flags.values_mut().filter_map(Value::as_object_mut) {
        remove_flag(group, id);
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if !name.is_empty() && name.len() <= 100 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err("invalid name: expected 1 to 100 letters, digits and `-`, `_`, `.`, `/`, `:`".to_owned())
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, SettingsError> {
    let text = fs::read_to_string(path).map_err(|error| SettingsError::unreadable(path, error))?;
    harness::yaml::read(&text)
        .map_err(|problem| SettingsError::new(format!("{}: {problem}", path.display())))
}

/// Contents of the `--client-keys` file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    clients: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    key_sha256: Option<String>,
    key_env: Option<String>,
    models: Option<Vec<String>>,
    requests_per_minute: Option<NonZeroU32>,
    max_concurrency: Option<usize>,
    max_cost: Option<f64>,
    max_tokens: Option<u64>,
    max_llm_calls: Option<u64>,
}

/// Returns the clients in a file. Without a file, accepts only the key in the environment variable
/// [`env_vars::CLIENT_KEY`], or anybody if it is not set.
pub(super) fn clients(file: Option<&Path>) -> Result<Clients, SettingsError> {
    let Some(path) = file else {
        let key = env::var(env_vars::CLIENT_KEY).unwrap_or_default();
        if key.trim().is_empty() {
            return Ok(Clients::anybody());
        }
        let hash = hash_key(&key)
            .map_err(|why| SettingsError::new(format!("{}: {why}", env_vars::CLIENT_KEY)))?;
        return Ok(Clients::with_keys([(hash, Client::new("client"))]));
    };
    let File { clients } = read(path)?;
    let wrong = |name: &str, problem: String| {
        SettingsError::new(format!("{}: client `{name}`: {problem}", path.display()))
    };
    if clients.is_empty() {
        let problem = format!("{}: `clients` is empty", path.display());
        return Err(SettingsError::new(problem));
    }
    let (mut names, mut keys) = (HashSet::new(), HashSet::new());
    let mut all = Vec::new();
    for entry in clients {
        let name = entry.name.clone();
        check_name(&name).map_err(|problem| wrong(&name, problem))?;
        let (key, client) = client(entry).map_err(|problem| wrong(&name, problem))?;
        if !names.insert(name.clone()) {
            return Err(wrong(&name, "duplicate name".to_owned()));
        }
        if !keys.insert(key) {
            return Err(wrong(&name, "another client has the same key".to_owned()));
        }
        all.push((key, client));
    }
    Ok(Clients::with_keys(all))
}

fn client(entry: Entry) -> Result<(KeyHash, Client), String> {
    let key = match (&entry.key_sha256, &entry.key_env) {
        (Some(hash), None) => KeyHash::from_hex(hash).ok_or(
            "`key_sha256` is not 64 hexadecimal digits; create it with `printf %s KEY | sha256sum`",
        )?,
        (None, Some(variable)) => {
            let key = env::var(variable).unwrap_or_default();
            if key.trim().is_empty() {
                return Err(format!("the variable {variable} of `key_env` is not set"));
            }
            hash_key(&key).map_err(|why| format!("{variable}: {why}"))?
        }
        _ => return Err("expected either `key_sha256` or `key_env`".to_owned()),
    };
    let mut client = Client::new(entry.name);
    if let Some(models) = &entry.models {
        client = client.using(globs(models)?);
    }
    if let Some(requests) = entry.requests_per_minute {
        client = client.per_minute(requests);
    }
    match entry.max_concurrency {
        None => {}
        Some(0) => return Err("`max_concurrency` must be above 0".to_owned()),
        Some(requests) => client = client.at_once(requests),
    }
    if let Some(cost) = entry.max_cost
        && !(cost > 0.0 && cost.is_finite())
    {
        return Err("`max_cost` must be a number of US dollars above 0".to_owned());
    }
    let client = client.spending(Limits {
        cost_usd: entry.max_cost,
        tokens: entry.max_tokens,
        llm_calls: entry.max_llm_calls,
        time: None,
    });
    Ok((key, client))
}

fn globs(names: &[String]) -> Result<GlobSet, String> {
    let mut globs = GlobSetBuilder::new();
    for name in names {
        globs.add(Glob::new(name).map_err(|error| format!("`models`: {error}"))?);
    }
    globs.build().map_err(|error| format!("`models`: {error}"))
}

/// Returns the hash of a key and registers the key for redaction.
fn hash_key(key: &str) -> Result<KeyHash, String> {
    let key = key.trim();
    if key.chars().count() < MIN_KEY_CHARS {
        return Err(format!(
            "a key must have at least {MIN_KEY_CHARS} characters"
        ));
    }
    let _ = Secret::new(key);
    Ok(KeyHash::of(key))
}

const DETAILS: &str = "\
Prints the base URL for clients on stdout and serves until Ctrl-C. `rlm/MODEL` and \
`rlm-coordinator/MODEL` are the names that clients use as `model`; `--max-cost` and the other run budgets \
apply to the server as a whole.

Examples:
  rlm-eval serve --model openai/gpt-5-mini
  rlm-eval serve --model anthropic/claude-sonnet-4-5 --port 8080 --max-cost 20
  rlm-eval serve --model openai/gpt-5-mini --host 0.0.0.0 --client-keys clients.yaml";
