//! Flags of `rlm-eval repl`.

use std::path::PathBuf;

use clap::Args;

use crate::settings::{IsolationArgs, SandboxArgs};

/// The flags of `rlm-eval repl`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct ReplArgs {
    /// Text file that becomes `context` [default: an empty context]
    #[arg(long, value_name = "FILE")]
    pub context_file: Option<PathBuf>,

    /// Read and write one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// Limits and printing of the REPL.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Where cells run.
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

const DETAILS: &str = "\
Names persist from cell to cell, top-level await works, and return(value) shows the text that \
would become an agent's answer. There is no model: rlm() and llm() reject.

Each line is a cell; a line that ends inside brackets, a template or an expression continues on the \
next line. On a terminal, Ctrl-C clears the line or stops a running cell, and Ctrl-D quits. The \
history is stored in $XDG_STATE_HOME/eval/history, or in ~/.local/state/eval/history if that \
variable is not set.

With --json, each line of stdin is an object, and each gets one line on stdout:
  {\"code\": \"…\"}             {\"output\": \"…\", \"error\": null, \"value\": null}; \"stack\" after an error
  {\"set\": {\"name\": VALUE}}  {\"ok\": true}; the name `context` sets the context

Examples:
  rlm-eval repl --context-file book.txt
  echo 'console.log(context.length)' | rlm-eval repl --context-file book.txt
  echo '{\"code\": \"return(6 * 7)\"}' | rlm-eval repl --json";
