//! Flags as `config.json` and `sweep.json` record them: they are read as if they were typed, so that whatever is wrong with a
//! recorded value is said as of a typed one.

use clap::{Args, Command};
use serde_json::Value;

use super::one_line;

/// Flags that count only where they are typed, whatever a file says.
const TYPED_ONLY: [&str; 1] = ["allow_local"];

/// The flags of a group by what was recorded of it: each by the name of its field, those of a group within in an object of
/// their own. What is not recorded has its default; a name that is no flag is passed over.
///
/// # Errors
/// A sentence about the first value that is wrong.
pub(crate) fn read<A: Args>(recorded: &Value) -> Result<A, String> {
    if !recorded.is_object() {
        return Err("expected an object".to_owned());
    }
    // Variables are of the start at hand, and not of the one that was recorded.
    let command = A::augment_args(Command::new("recorded").no_binary_name(true));
    let mut words = Vec::new();
    collect(&command, recorded, &mut words);
    let matches = command.try_get_matches_from(words);
    matches
        .and_then(|matches| A::from_arg_matches(&matches))
        .map_err(|error| one_line(&error))
}

fn collect(command: &Command, recorded: &Value, words: &mut Vec<String>) {
    for (name, value) in recorded.as_object().into_iter().flatten() {
        if value.is_object() {
            collect(command, value, words);
            continue;
        }
        if TYPED_ONLY.contains(&name.as_str()) {
            continue;
        }
        let mut arguments = command.get_arguments();
        let Some(argument) = arguments.find(|argument| argument.get_id() == name) else {
            continue;
        };
        let long = argument.get_long().unwrap_or_default();
        let takes_values = argument.get_action().takes_values();
        let values = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        words.extend(values.iter().filter_map(|value| match value {
            Value::Null => None,
            Value::Bool(is_on) if !takes_values => is_on.then(|| format!("--{long}")),
            Value::String(text) => Some(format!("--{long}={text}")),
            other => Some(format!("--{long}={other}")),
        }));
    }
}
