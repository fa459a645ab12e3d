//! `eval prompt`: the system prompt that an agent would get.

mod check;
mod diff;

use comfy_table::{CellAlignment, Table, presets};
use harness::prompt::{Assembled, system_prompt};
use harness::provider::http::estimate_tokens;
use serde_json::{Value, json};

use super::stdout;
use crate::cli::PromptArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::PromptSettings;

/// Prints the prompt exactly as a model would read it, its sections apart as JSON, their sizes, the difference to
/// another prompt, or the faults of a folder of definitions.
///
/// # Errors
/// [`Error::Settings`], [`Error::Stdout`], and [`Error::CommandLine`] for a side of `--diff` that is wrong.
pub(super) fn execute(args: &PromptArgs) -> Result<Outcome, Error> {
    if let Some(folder) = &args.check {
        return check::execute(args, folder);
    }
    if let [a, b] = args.diff.as_slice() {
        return diff::execute(args, a, b);
    }
    let settings = PromptSettings::resolve(args)?.announce();
    let prompt = system_prompt(&settings.agent());
    if settings.json {
        stdout::write_json(&as_json(&prompt))?;
    } else if settings.sizes {
        stdout::write(&sizes(&prompt))?;
    } else {
        stdout::write(&(prompt.text() + "\n"))?;
    }
    Ok(Outcome::Complete)
}

/// The sections with their sizes; tokens are estimated.
fn as_json(prompt: &Assembled) -> Value {
    let sections: Vec<Value> = prompt
        .sections
        .iter()
        .map(|section| {
            let tokens = estimate_tokens(&section.text);
            json!({"name": section.name, "text": section.text, "tokens": tokens})
        })
        .collect();
    json!({
        "sections": sections,
        "tokens": estimate_tokens(&prompt.text()),
        "estimated": true,
    })
}

fn sizes(prompt: &Assembled) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["SECTION", "CHARACTERS", "TOKENS (ESTIMATED)"]);
    let whole = prompt.text();
    let sections = prompt
        .sections
        .iter()
        .map(|section| (section.name.as_str(), section.text.as_str()));
    for (name, text) in sections.chain([("the whole prompt", whole.as_str())]) {
        table.add_row([
            name.to_owned(),
            text.chars().count().to_string(),
            estimate_tokens(text).to_string(),
        ]);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if at > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines();
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
