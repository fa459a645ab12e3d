//! Flags and settings of `rlm-eval prompt`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, Command, FromArgMatches as _, Id};
use harness::prompt::iterations_for_depth;
use harness::sandbox::Isolation;
use harness::settings::{DEFAULT_MAX_ITERATIONS, IterationSettings, MOST_DEPTH, ProtocolSettings};
use harness::treatment::AgentPosition;
use harness::{ActionSurface, Treatment};

use crate::settings::treatment::{Agents, Flags};
use crate::settings::values::{whole, within};
use crate::settings::{
    GuidanceArgs, HookArgs, McpServerArgs, Resolved, RunMode, SettingsError, ToolArgs,
    VariableArgs, WebArgs,
};

/// The flags of `rlm-eval prompt`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct PromptArgs {
    /// Depth of the agent; the root is at depth 0
    #[arg(
        long,
        value_parser = whole::<u32>(0..=MOST_DEPTH),
        default_value_t = 0,
        value_name = "DEPTH",
        help_heading = "Position"
    )]
    pub depth: u32,

    /// Maximum iterations of the agent [default: the limit at its depth if the root has 15
    /// iterations]
    #[arg(
        long,
        value_parser = whole::<u32>(1..=10_000),
        value_name = "N",
        help_heading = "Position"
    )]
    pub iterations: Option<u32>,

    /// Query of an ancestor; repeat the flag for each depth, starting with the root
    #[arg(long, value_name = "QUERY", help_heading = "Position")]
    pub lineage: Vec<String>,

    /// System prompt from the caller, which makes the agent a specialist
    #[arg(long, value_name = "TEXT", help_heading = "Position")]
    pub system_prompt: Option<String>,

    /// Model whose name selects the profile with `--profile auto`
    #[arg(long, value_name = "REF", help_heading = "Agent")]
    pub model: Option<String>,

    /// Prompts of the agents.
    #[command(flatten)]
    pub guidance: GuidanceArgs,

    /// Tools of the agents.
    #[command(flatten)]
    pub tools: ToolArgs,

    /// How agents see web pages.
    #[command(flatten)]
    pub web: WebArgs,

    /// Environment variables for tools.
    #[command(flatten)]
    pub variables: VariableArgs,

    /// MCP servers whose tools agents may call.
    #[command(flatten)]
    pub mcp: McpServerArgs,

    /// Print the size of each section instead of its text, in estimated tokens (characters divided
    /// by 4)
    #[arg(long, help_heading = "Output")]
    pub sizes: bool,

    /// Print the differences between the prompts of two configurations. Each is a quoted list of
    /// additional flags, or the name of a definition; `EVAL_DIFF` separates them by `;`
    #[arg(
        long,
        num_args = 2,
        value_names = ["A", "B"],
        allow_hyphen_values = true,
        value_delimiter = ';',
        help_heading = "Output"
    )]
    pub diff: Vec<String>,

    /// Check all prompt definitions in a folder and print the errors instead of a prompt; exit with
    /// code 2 if there are any
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["diff", "sizes"],
        help_heading = "Output"
    )]
    pub check: Option<PathBuf>,

    /// Print sections and native tools as JSON: {"sections": [{"name", "text", "tokens"}, …],
    /// "tools": [{"name", "description", "parameters", "tokens"}, …], "tokens", "estimated"}
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl PromptArgs {
    /// Returns these flags overridden by one side of `--diff`: flags in shell syntax, or the name
    /// of a definition.
    ///
    /// # Errors
    /// The error in the flags of `side`.
    pub fn with(&self, side: &str) -> Result<Self, clap::Error> {
        let given = side.trim();
        let words = if given.is_empty() || given.starts_with('-') {
            shlex::split(given).ok_or_else(|| {
                let problem = format!("unclosed quote or final backslash in `{given}`\n");
                clap::Error::raw(ErrorKind::ValueValidation, problem)
            })?
        } else {
            vec!["--prompt".to_owned(), given.to_owned()]
        };
        let command = Command::new("prompt").bin_name("rlm-eval prompt");
        let command = Self::augment_args(command.no_binary_name(true));
        let mut matches = command.try_get_matches_from(words)?;
        let ids: Vec<Id> = matches.ids().cloned().collect();
        for id in ids {
            if matches.value_source(id.as_str()) != Some(ValueSource::CommandLine) {
                // Fails only for unknown ids, which have no value to clear.
                let _ = matches.try_clear_id(id.as_str());
            }
        }
        let mut args = self.clone();
        args.guidance.layers.clear_excluded_by(&matches);
        args.update_from_arg_matches(&matches)?;
        args.diff.clear();
        Ok(args)
    }
}

/// The agent whose prompt is shown.
#[derive(Debug, Clone)]
pub struct PromptSettings {
    /// Settings of the run that the agent would belong to.
    pub treatment: Treatment,
    /// Position of the agent.
    pub position: AgentPosition,
}

impl PromptSettings {
    /// Resolves the flags. Models need not exist, because none is called.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag.
    pub fn resolve(args: &PromptArgs) -> Result<Resolved<Self>, SettingsError> {
        let flags = Flags {
            guidance: &args.guidance,
            tools: &args.tools,
            values: &args.variables.values,
            servers: &args.mcp.mcp_servers,
            hooks: &HookArgs::default(),
            web: &args.web,
        };
        let protocol = args.guidance.protocol;
        let max_depth = args.guidance.prompts.max_depth;
        let depth = within("--depth", args.depth, &(0..=max_depth))?;
        if !protocol.capabilities().calls_children() && depth > 0 {
            return Err(SettingsError::with_hint(
                format!(
                    "--depth {depth}: with --protocol {protocol} there is one agent, at depth 0"
                ),
                "use --depth 0, or --protocol rlm",
            ));
        }
        if !args.lineage.is_empty() && args.lineage.len() != depth as usize {
            let given = args.lineage.len();
            return Err(SettingsError::with_hint(
                format!(
                    "--lineage: got {given} queries, but an agent at depth {depth} has {depth} \
                     ancestors"
                ),
                "pass --lineage once for each ancestor, starting with the root, or omit it",
            ));
        }
        let iterations = match args.iterations {
            Some(iterations) => {
                let most = iterations_for_depth(depth, 10_000);
                within("--iterations", iterations, &(1..=most))?
            }
            None if depth == 0
                && protocol.capabilities().action_surface == ActionSurface::Program =>
            {
                ProtocolSettings::default().workflow_runs
            }
            None => iterations_for_depth(depth, DEFAULT_MAX_ITERATIONS),
        };
        // The children's limit depends on the run's limit, which is also the root's.
        let of_run = if depth == 0 {
            iterations
        } else {
            DEFAULT_MAX_ITERATIONS
        };
        let model = args.model.as_deref().map(str::trim);
        let given = Treatment {
            iterations: IterationSettings {
                max_iterations: of_run,
                ..IterationSettings::default()
            },
            ..Treatment::default()
        };
        let agents = flags.resolve(given, model, &Isolation::Thread, RunMode::New)?;
        let run = &agents.settings.treatment;
        if run.is_web() {
            crate::settings::web::check_system_text(&args.web, &run.web, &run.overrides)?;
        }
        let position = AgentPosition {
            depth,
            iterations,
            invocation_id: invocation_id(depth),
            lineage: args.lineage.clone(),
            system_prompt: args.system_prompt.clone(),
        };
        Ok(agents.map(|Agents { treatment, .. }| Self {
            treatment,
            position,
        }))
    }
}

/// Returns the id of the first agent at a depth: `root`, `d1-c0`, `d1-c0.d2-c0`.
fn invocation_id(depth: u32) -> String {
    if depth == 0 {
        return "root".to_owned();
    }
    let steps: Vec<String> = (1..=depth).map(|depth| format!("d{depth}-c0")).collect();
    steps.join(".")
}

const DETAILS: &str = "\
Prints the prompt exactly as a model would read it.

Examples:
  rlm-eval prompt
  rlm-eval prompt --prompt-mode coordinator --drivers delegation-first,deadline-return
  rlm-eval prompt --depth 1 --max-depth 3 --lineage 'Find the rule behind the grids.'
  rlm-eval prompt --prompts-dir prompts --prompt reviewer --sizes
  rlm-eval prompt --diff '--prompt-mode solver' '--prompt-mode coordinator'
  rlm-eval prompt --check prompts
  rlm-eval prompt --model anthropic/claude-opus-4-6 --json | jq -r '.sections[].name'";
