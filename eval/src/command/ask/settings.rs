//! Flags and settings of `rlm-eval ask`.

use std::env;
use std::path::PathBuf;

use benchmarks::{MAX_IMAGES, SiteSource, UserSite};
use browser::Origin;
use clap::{ArgGroup, Args};
use harness::{Capabilities, Protocol, protocol_words};
use url::Url;

use crate::settings::flags::NotFromFile;
use crate::settings::values::within;
use crate::settings::{
    ContextSource, EngineArgs, EngineSettings, Keys, QuerySource, Resolved, RunMode, SettingsError,
};

/// The flags of `rlm-eval ask`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = DETAILS,
    allow_negative_numbers = true,
    override_usage = "rlm-eval ask [OPTIONS] --model <REF> <--query <TEXT>|--query-file <FILE>>",
    group = ArgGroup::new("question").args(["query", "query_file"]).required(true),
    group = ArgGroup::new("text").args(["context_file", "context_dir"])
)]
pub struct AskArgs {
    /// The question; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", help_heading = "Question")]
    pub query: Option<String>,

    /// File that contains the question
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub query_file: Option<PathBuf>,

    /// Text file that becomes the agent's `context` [default: an empty context]
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub context_file: Option<PathBuf>,

    /// Folder whose text files become the agent's `context`, sorted by path, each under a line
    /// `==> PATH <==`. Hidden files and links to folders are skipped; links to files are followed
    #[arg(long, value_name = "DIR", help_heading = "Question")]
    pub context_dir: Option<PathBuf>,

    /// Image to show with the question: PNG, JPEG, GIF or WebP, at most 5 MB; repeatable, up to 20
    /// images
    #[arg(long, value_name = "FILE", help_heading = "Question")]
    pub image: Vec<PathBuf>,

    /// URL of a web page to work on, with `--protocol agent-turn` or `rlm`; the agent can reach
    /// only the page's origin
    #[arg(long, value_name = "URL", help_heading = "World", add = NotFromFile)]
    pub url: Option<String>,

    /// Further origin that the agent can reach, such as `https://example.com`; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "url", help_heading = "World", add = NotFromFile)]
    pub allow: Vec<String>,

    /// Selected text of the page, shown to the agent after the question
    #[arg(long, value_name = "TEXT", requires = "url", help_heading = "World")]
    pub selection: Option<String>,

    /// Text file to open as a document, with `--protocol json-action`; repeatable. Only launched
    /// apps can read it
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "url",
        help_heading = "World"
    )]
    pub document: Vec<PathBuf>,

    /// Show the launched app in a Chromium window until you close it
    #[arg(long, help_heading = "World")]
    pub show: bool,

    /// File in which to save the HTML of the launched app
    #[arg(long, value_name = "FILE", help_heading = "World", add = NotFromFile)]
    pub save: Option<PathBuf>,

    /// Folder for a run directory with the trajectory of the question, which `rlm-eval view` shows
    /// [default: nothing is stored]
    #[arg(long, value_name = "DIR", help_heading = "Question", add = NotFromFile)]
    pub log_dir: Option<PathBuf>,

    /// Show every event of the agents, one line each
    #[arg(long, short = 'v', help_heading = "Question")]
    pub verbose: bool,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Everything that one question depends on.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// Source of the question.
    pub query: QuerySource,
    /// Source of the context.
    pub context: ContextSource,
    /// Image files shown with the question; at most [`MAX_IMAGES`].
    pub images: Vec<PathBuf>,
    /// Web page that the question is about.
    pub site: Option<UserSite>,
    /// Settings of the agents.
    pub engine: EngineSettings,
}

impl AskSettings {
    /// Resolves the flags of a question.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag. Files are read later.
    pub fn resolve(args: &AskArgs) -> Result<Resolved<Self>, SettingsError> {
        let query = match (&args.query_file, &args.query) {
            (Some(file), _) => QuerySource::File(file.clone()),
            (None, Some(text)) if text == "-" => QuerySource::Stdin,
            (None, text) => QuerySource::Text(text.clone().unwrap_or_default()),
        };
        let context = match (&args.context_file, &args.context_dir) {
            (Some(file), _) => ContextSource::File(file.clone()),
            (None, Some(folder)) => ContextSource::Folder(folder.clone()),
            (None, None) => ContextSource::Empty,
        };
        let images: Vec<PathBuf> = args
            .image
            .iter()
            .filter(|path| !path.as_os_str().is_empty())
            .cloned()
            .collect();
        within("--image", images.len(), &(0..=MAX_IMAGES))?;
        let site = args
            .url
            .as_deref()
            .map(|url| site(url, &args.allow))
            .transpose()?;
        let builds_apps = args.engine.guidance.protocol.capabilities().builds_apps();
        let of_app = [("--show", args.show), ("--save", args.save.is_some())];
        if let Some((flag, _)) = of_app
            .into_iter()
            .find(|(_, is_given)| *is_given && !builds_apps)
        {
            let protocols = Protocol::all_with(Capabilities::builds_apps);
            let problem = format!(
                "{flag}: only agents of --protocol {} launch apps",
                protocol_words(&protocols)
            );
            return Err(SettingsError::new(problem));
        }
        if args.show {
            check_display()?;
        }
        let engine = EngineSettings::resolve(&args.engine, Keys::Needed, RunMode::New)?;
        Ok(engine.map(|engine| Self {
            query,
            context,
            images,
            site,
            engine,
        }))
    }
}

/// Checks on Linux that a window can be shown. On other systems, no variable indicates it.
fn check_display() -> Result<(), SettingsError> {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "linux") || ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(is_set) {
        return Ok(());
    }
    Err(SettingsError::with_hint(
        "--show: no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
        "use --save FILE to save the app instead",
    ))
}

impl AskSettings {
    /// Whether the page or an address that it may reach is on this machine or in a private network.
    pub fn names_local_address(&self) -> bool {
        let site = self.site.iter();
        let named = site.flat_map(|site| site.allow.iter().chain([&site.start]));
        named
            .filter_map(|address| Origin::of(&Url::parse(address).ok()?))
            .any(|origin| origin.is_local())
    }
}

/// Checks the URL and the allowed origins, and returns the site.
fn site(url: &str, allow: &[String]) -> Result<UserSite, SettingsError> {
    let parsed = Url::parse(url.trim()).ok();
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    let Some(url) = parsed.filter(is_web) else {
        return Err(SettingsError::new(format!(
            "--url: invalid URL `{url}`: expected an http or https URL, such as https://example.com/orders"
        )));
    };
    for origin in allow {
        origin
            .trim()
            .parse::<Origin>()
            .map_err(|error| SettingsError::new(format!("--allow: {error}")))?;
    }
    Ok(UserSite {
        source: SiteSource::Address(url.to_string()),
        start: url.to_string(),
        allow: allow
            .iter()
            .map(|origin| origin.trim().to_owned())
            .collect(),
        cookies: Vec::new(),
        storage: Vec::new(),
        viewport: None,
        checks: Vec::new(),
    })
}

const DETAILS: &str = "\
Prints the answer on stdout, and the progress of the agents on stderr.

Examples:
  rlm-eval ask --query 'Which clause limits liability?' \\
      --context-file contract.txt --model scripted:reader.yaml
  rlm-eval ask --query-file question.md --context-dir notes/ \\
      --model scripted:reader.yaml --max-depth 3
  rlm-eval ask --query 'Put two lamps into the basket' --url http://127.0.0.1:8000 \\
      --protocol agent-turn --model openai/gpt-5-mini
  echo 'What is 7 * 6?' | rlm-eval ask --query - --model scripted:reader.yaml";
