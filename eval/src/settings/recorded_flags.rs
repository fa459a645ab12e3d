//! Flags as `config.json` and `sweep.json` record them.
//!
//! Recorded values are parsed as if they were typed, so that invalid ones get the same errors.
//! Permissions (`powers.rs`) and flags of one start (`start.rs`) are never read from a file.

use std::collections::HashMap;
use std::iter;

use clap::{Arg, ArgMatches, Args, Command};
use serde_json::{Map, Value};

use super::StartArgs;
use super::flags::{Ids, ids, names, one_line, union};
use super::powers::permissions;

/// Returns the flags that are never recorded and never read from a file: permissions, and flags
/// that apply to a single start.
pub(super) fn unrecorded() -> Ids {
    union([permissions().clone(), ids::<StartArgs>()])
}

/// Parses recorded flags. Each is stored under its id or a name of the flag; a nested group is an
/// object. A missing flag has its default, and an unknown key is ignored.
///
/// # Errors
/// A sentence about the first invalid value.
pub(crate) fn read<A: Args>(recorded: &Value) -> Result<A, String> {
    A::from_arg_matches(&matches::<A>(recorded)?).map_err(|error| one_line(&error))
}

/// Like [`read`], but returns the matches before they are converted to a struct.
///
/// # Errors
/// Like [`read`].
pub(super) fn matches<A: Args>(recorded: &Value) -> Result<ArgMatches, String> {
    if !recorded.is_object() {
        return Err("expected an object".to_owned());
    }
    // Ignore environment variables, which belong to this start and not to the recorded one.
    let command = A::augment_args(Command::new("recorded").no_binary_name(true));
    let never = unrecorded();
    let known = command.clone();
    let arguments = known.get_arguments();
    let arguments = arguments.filter(|argument| !never.contains(argument.get_id().as_str()));
    let arguments = arguments.flat_map(|argument| keys(argument).map(move |key| (key, argument)));
    let mut words = Vec::new();
    collect(&arguments.collect(), recorded, &mut words);
    // Lists are recorded as lists, so their entries may contain the delimiter.
    let command = command.mut_args(|argument| argument.value_delimiter(None));
    let matches = command.try_get_matches_from(words);
    matches.map_err(|error| one_line(&error))
}

/// Returns the keys under which a flag may be recorded: its id, its name and its earlier names.
fn keys(argument: &Arg) -> impl Iterator<Item = String> {
    let names = names(argument).map(|name| name.replace('-', "_"));
    iter::once(argument.get_id().to_string()).chain(names)
}

/// Keeps only the recorded flags for which `is_kept` returns true, which may also change a value.
/// Flags in nested groups are included.
pub(crate) fn retain(
    recorded: &mut Map<String, Value>,
    is_kept: &mut impl FnMut(&str, &mut Value) -> bool,
) {
    recorded.retain(|key, value| match value {
        Value::Object(group) => {
            retain(group, is_kept);
            true
        }
        value => is_kept(key, value),
    });
}

/// Returns the keys under which a flag of `A` may be recorded. `flag` may start with dashes.
pub(crate) fn keys_of<A: Args>(flag: &str) -> Vec<String> {
    let command = A::augment_args(Command::new("agents"));
    let long = flag.trim_start_matches('-');
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == Some(long));
    argument.into_iter().flat_map(keys).collect()
}

/// Adds the recorded flags to `words`. `arguments` contains each flag under all of its keys.
fn collect(arguments: &HashMap<String, &Arg>, recorded: &Value, words: &mut Vec<String>) {
    for (name, value) in recorded.as_object().into_iter().flatten() {
        if value.is_object() {
            collect(arguments, value, words);
            continue;
        }
        let Some(argument) = arguments.get(name) else {
            continue;
        };
        let long = argument.get_long().unwrap_or_default();
        let takes_values = argument.get_action().takes_values();
        let split: Vec<Value>;
        let values = match (value, argument.get_value_delimiter()) {
            (Value::Array(values), _) => values.as_slice(),
            (Value::String(text), Some(delimiter)) => {
                split = text.split(delimiter).map(Value::from).collect();
                &split
            }
            (value, _) => std::slice::from_ref(value),
        };
        words.extend(values.iter().filter_map(|value| match value {
            Value::Null => None,
            Value::Bool(is_on) if !takes_values => is_on.then(|| format!("--{long}")),
            Value::String(text) => Some(format!("--{long}={text}")),
            other => Some(format!("--{long}={other}")),
        }));
    }
}

#[cfg(test)]
mod tests {
    use clap::parser::ValueSource;
    use clap::{Args as _, Command, FromArgMatches as _};
    use serde_json::{Map, Value, json};

    use super::{matches, permissions, unrecorded};
    use crate::settings::{EngineArgs, RunArgs};

    /// Permissions are ignored for any value and at any depth of the file.
    #[test]
    fn ignores_recorded_permissions_and_start_flags() {
        let ids = unrecorded();
        assert!(ids.contains("allow_commands") && ids.contains("retry_errors"));
        let command = RunArgs::augment_args(Command::new("run"));
        let longs = command
            .get_arguments()
            .filter(|argument| ids.contains(argument.get_id().as_str()))
            .filter_map(|argument| Some(argument.get_long()?.replace('-', "_")));
        let keys: Vec<String> = ids.iter().cloned().chain(longs).collect();
        for key in keys {
            for value in [
                json!(true),
                json!("thread"),
                json!(["A=1"]),
                json!("results/x"),
            ] {
                let flag = Value::Object(Map::from_iter([(key.clone(), value)]));
                let mut recorded = flag.clone();
                recorded["benchmark"] = json!("s-niah");
                recorded["engine"] = json!({ "model": "scripted", "powers": flag });
                recorded["engine"]["sandbox"] = recorded["engine"]["powers"].clone();
                let read = matches::<RunArgs>(&recorded).unwrap();
                for id in &ids {
                    let source = read.value_source(id);
                    assert_ne!(source, Some(ValueSource::CommandLine), "{key} sets {id}");
                }
            }
        }
    }

    #[test]
    fn entries_of_lists_may_contain_delimiters() {
        let rows = [
            (json!(["q,1", "r"]), vec!["q,1", "r"]),
            (json!("q,1"), vec!["q", "1"]),
        ];
        for (ids, expected) in rows {
            let flags = json!({
                "benchmark": "s-niah",
                "selected_problems": ids,
                "engine": { "model": "scripted" },
            });
            let read: RunArgs = serde_json::from_value(flags).unwrap();
            assert_eq!(read.selected_problems, expected, "{ids}");
        }
    }

    #[test]
    fn records_renamed_flags_under_their_old_keys() {
        let rows = [
            ("--timer-timeout=2", "/engine/sandbox/cell_wait", json!(2.0)),
            (
                "--code-format=tool",
                "/engine/guidance/code_via",
                json!("tool"),
            ),
            (
                "--dump-include=nested",
                "/engine/web/dump_also",
                json!(["nested"]),
            ),
            ("--show-labels", "/options/labels", json!(true)),
            ("--max-samples=3", "/max_tasks", json!(3)),
            ("--sample-ids=a", "/selected_problems", json!(["a"])),
            (
                "--samples-per-length=4",
                "/options/tasks_per_length",
                json!(4),
            ),
        ];
        for (flag, key, value) in rows {
            let words = ["--benchmark=s-niah", "--model=scripted", flag];
            let command = RunArgs::augment_args(Command::new("run").no_binary_name(true));
            let typed = command.try_get_matches_from(words).unwrap();
            let typed = json!(RunArgs::from_arg_matches(&typed).unwrap());
            assert_eq!(typed.pointer(key), Some(&value), "{flag}");
            let read: RunArgs = serde_json::from_value(typed.clone()).unwrap();
            assert_eq!(json!(read), typed, "{flag}");
        }
    }

    #[test]
    fn does_not_record_permissions() {
        let words = [
            "x",
            "--model",
            "scripted",
            "--trust-pages",
            "--env",
            "A=secret",
        ];
        let command = EngineArgs::augment_args(Command::new("x"));
        let typed = command.try_get_matches_from(words).unwrap();
        let args = EngineArgs::from_arg_matches(&typed).unwrap();
        let recorded = json!(args).to_string();
        for id in permissions() {
            assert!(!recorded.contains(&format!("\"{id}\"")), "{id}: {recorded}");
        }
        assert!(!recorded.contains("secret"), "{recorded}");
    }
}
