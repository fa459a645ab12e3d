//! `rlm-eval prompt`: prints the system prompt that an agent would get.
//!
//! A run assembles its prompts with the same code, so the output is exactly what the run would
//! send.

mod settings;
mod check;

use comfy_table::{CellAlignment, Table, presets};
use harness::ToolSpec;
use harness::prompt::Assembled;
use harness::provider::http::estimate_tokens;
use serde_json::{Value, json};
use similar::TextDiff;

use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use settings::PromptSettings;

pub(crate) use settings::PromptArgs;

/// Unchanged lines that `--diff` shows around each difference.
const DIFF_CONTEXT: usize = 3;

/// System prompt and native tools of an agent.
struct PromptWithTools {
    prompt: Assembled,
    /// Native tools that requests contain in addition to the prompt.
    tools: Vec<ToolSpec>,
}

impl PromptWithTools {
    fn of(settings: &PromptSettings) -> Self {
        let PromptSettings {
            treatment,
            position,
            ..
        } = settings;
        Self {
            prompt: treatment.prompt_at(position),
            tools: treatment.native_tools(position.depth),
        }
    }

    /// Returns the exact prompt that a model reads, followed by the native tools with their
    /// schemas.
    fn text(&self) -> String {
        let mut text = self.prompt.text() + "\n";
        if !self.tools.is_empty() {
            text += "\n=== Native tools, sent in addition to the prompt ===\n";
        }
        for tool in &self.tools {
            text += &format!(
                "\n{}: {}\n{:#}\n",
                tool.name, tool.description, tool.parameters
            );
        }
        text
    }

    /// Returns each native tool with the JSON that describes it in requests.
    fn wire(&self) -> impl Iterator<Item = (&ToolSpec, Value)> {
        self.tools.iter().map(|tool| {
            let json = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
            (tool, json)
        })
    }

    /// Returns the estimated tokens of prompt and native tools.
    fn tokens(&self) -> u64 {
        let of_tools = self
            .wire()
            .map(|(_, json)| estimate_tokens(&json.to_string()));
        estimate_tokens(&self.prompt.text()) + of_tools.sum::<u64>()
    }
}

/// Prints the prompt with its native tools, its sections as JSON, their sizes, the differences from
/// another prompt, or the errors in a folder of definitions.
///
/// # Errors
/// [`Error::Settings`], [`Error::Stdout`], and [`Error::CommandLine`] for an invalid side of
/// `--diff`.
pub(super) fn execute(args: &PromptArgs) -> Result<Outcome, Error> {
    if let Some(folder) = &args.check {
        return check::execute(args, folder);
    }
    if let [a, b] = args.diff.as_slice() {
        return print_differences(args, a, b);
    }
    let settings = PromptSettings::resolve(args)?.announce();
    let prompt = PromptWithTools::of(&settings);
    if args.json {
        stdout::write_json(&as_json(&prompt))?;
    } else if args.sizes {
        stdout::write(&sizes(&prompt))?;
    } else {
        stdout::write(&prompt.text())?;
    }
    Ok(Outcome::Complete)
}

/// Prints the differences between two prompts in the format of `diff -u`; prints nothing for equal
/// prompts.
///
/// # Errors
/// [`Error::CommandLine`] or [`Error::Settings`] for an invalid side, and [`Error::Stdout`].
fn print_differences(args: &PromptArgs, a: &str, b: &str) -> Result<Outcome, Error> {
    let (of_a, of_b) = (side(args, "A", a)?, side(args, "B", b)?);
    let (text_a, text_b) = (of_a.text(), of_b.text());
    let diff = TextDiff::from_lines(&text_a, &text_b)
        .unified_diff()
        .context_radius(DIFF_CONTEXT)
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

/// Returns the prompt of one configuration of `--diff`. `name` is A or B.
fn side(args: &PromptArgs, name: &str, side: &str) -> Result<PromptWithTools, Error> {
    let args = args.with(side).map_err(|error| in_side(name, error))?;
    let settings = PromptSettings::resolve(&args)?.announce();
    Ok(PromptWithTools::of(&settings))
}

/// Names the configuration of `--diff` in an error about its flags.
fn in_side(name: &str, error: clap::Error) -> clap::Error {
    if !error.use_stderr() {
        return error;
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    clap::Error::raw(error.kind(), format!("--diff {name}: {text}"))
}

/// Returns the sections and native tools with their sizes; token counts are estimates.
fn as_json(prompt: &PromptWithTools) -> Value {
    let sections: Vec<Value> = prompt
        .prompt
        .sections
        .iter()
        .map(|section| {
            let tokens = estimate_tokens(&section.text);
            json!({"name": section.name, "text": section.text, "tokens": tokens})
        })
        .collect();
    let tools: Vec<Value> = prompt
        .wire()
        .map(|(_, mut json)| {
            json["tokens"] = estimate_tokens(&json.to_string()).into();
            json
        })
        .collect();
    json!({
        "sections": sections,
        "tools": tools,
        "tokens": prompt.tokens(),
        "estimated": true,
    })
}

fn sizes(prompt: &PromptWithTools) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["SECTION", "CHARACTERS", "TOKENS (ESTIMATED)"]);
    let mut row = |name: &str, chars: usize, tokens: u64| {
        table.add_row([name.to_owned(), chars.to_string(), tokens.to_string()]);
    };
    for section in &prompt.prompt.sections {
        let text = &section.text;
        row(&section.name, text.chars().count(), estimate_tokens(text));
    }
    let whole = prompt.prompt.text();
    let mut chars = whole.chars().count();
    row("the whole prompt", chars, estimate_tokens(&whole));
    for (tool, json) in prompt.wire() {
        let json = json.to_string();
        let of_tool = json.chars().count();
        row(
            &format!("native tool {}", tool.name),
            of_tool,
            estimate_tokens(&json),
        );
        chars += of_tool;
    }
    if !prompt.tools.is_empty() {
        row("prompt and native tools", chars, prompt.tokens());
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
