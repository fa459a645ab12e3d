//! Flags of `rlm-eval ask`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::EngineArgs;

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
    #[arg(long, value_name = "URL", help_heading = "World")]
    pub url: Option<String>,

    /// Further origin that the agent can reach, such as `https://example.com`; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "url", help_heading = "World")]
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
    #[arg(long, value_name = "FILE", help_heading = "World")]
    pub save: Option<PathBuf>,

    /// Folder for a run directory with the trajectory of the question, which `rlm-eval view` shows
    /// [default: nothing is stored]
    #[arg(long, value_name = "DIR", help_heading = "Question")]
    pub log_dir: Option<PathBuf>,

    /// Show every event of the agents, one line each
    #[arg(long, short = 'v', help_heading = "Question")]
    pub verbose: bool,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
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
