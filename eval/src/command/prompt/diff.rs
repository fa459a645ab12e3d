//! `rlm-eval prompt --diff`: compares the prompts of two configurations.

use serde_json::json;
use similar::TextDiff;

use super::{PromptWithTools, as_json};
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::{PromptArgs, PromptSettings};

/// Unchanged lines shown around each difference.
const CONTEXT: usize = 3;

/// Prints the differences in the format of `diff -u`; prints nothing for equal prompts.
///
/// # Errors
/// [`Error::CommandLine`] or [`Error::Settings`] for an invalid side, and [`Error::Stdout`].
pub(super) fn execute(args: &PromptArgs, a: &str, b: &str) -> Result<Outcome, Error> {
    let (of_a, of_b) = (side(args, a)?, side(args, b)?);
    let (text_a, text_b) = (of_a.text(), of_b.text());
    let diff = TextDiff::from_lines(&text_a, &text_b)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(a, b)
        .to_string();
    if args.json {
        stdout::write_json(&json!({
            "a": as_json(&of_a),
            "b": as_json(&of_b),
            "diff": diff,
        }))?;
    } else {
        stdout::write(&diff)?;
    }
    Ok(Outcome::Complete)
}

fn side(args: &PromptArgs, side: &str) -> Result<PromptWithTools, Error> {
    let settings = PromptSettings::resolve(&args.with(side)?)?.announce();
    Ok(PromptWithTools::of(&settings))
}
