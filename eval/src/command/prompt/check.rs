//! `rlm-eval prompt --check`: reports all errors in a folder of definitions.

use std::collections::HashSet;
use std::path::Path;

use harness::prompt::definition::{Fault, Library};
use serde_json::{Value, json};

use super::settings::PromptArgs;
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::{
    alias_names, faults_by_values, hook_registry, known_to_definitions, tool_registry,
};

/// Prints the errors, one per line or as a JSON array.
///
/// # Errors
/// [`Error::Settings`] for invalid model aliases, and [`Error::Stdout`].
pub(super) fn execute(args: &PromptArgs, folder: &Path) -> Result<Outcome, Error> {
    let aliases = alias_names(&args.guidance)?;
    let mut library = Library::bundled();
    let mut faults = library.add_dir(folder);
    let tools_dir = args.guidance.layers.tools_dir.as_deref();
    let tools = tool_registry(tools_dir, &args.mcp.mcp_servers)?;
    let hooks = hook_registry(args.guidance.layers.hooks_dir.as_deref())?;
    faults.extend(library.check(&known_to_definitions(&aliases, &tools, &hooks)));
    // Omit errors at lines that already have one.
    let known: HashSet<_> = faults.iter().map(line_of).collect();
    let more = faults_by_values(&args.variables.values, &tools, &library)?;
    faults.extend(
        more.into_iter()
            .filter(|fault| !known.contains(&line_of(fault))),
    );
    faults.sort();
    faults.dedup();
    if args.json {
        let faults: Vec<Value> = faults.iter().map(as_json).collect();
        stdout::write_json(&faults)?;
    } else {
        let lines: Vec<String> = faults
            .iter()
            .map(|fault| terminal::one_line(&fault.to_string()).into_owned() + "\n")
            .collect();
        stdout::write(&lines.concat())?;
    }
    for note in library.notes() {
        terminal::note(&note);
    }
    if faults.is_empty() {
        let count = library.iter().filter(|own| own.is_own()).count();
        terminal::note(&format!(
            "{count} definitions and fragments in {}: no errors found",
            folder.display()
        ));
        Ok(Outcome::Complete)
    } else {
        Ok(Outcome::Faulty)
    }
}

fn line_of(fault: &Fault) -> (String, Option<u64>) {
    (fault.place.file.clone(), fault.place.line)
}

fn as_json(fault: &Fault) -> Value {
    json!({
        "file": fault.place.file,
        "line": fault.place.line,
        "field": fault.place.field,
        "problem": fault.problem,
        "includes": fault.includes,
    })
}
