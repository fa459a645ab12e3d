//! Locations given in flags: files, folders and servers.
//!
//! Invariant: a run folder, a matrix file or an agents file may name locations, but a start uses
//! one only if its command or environment also gives it. Otherwise, the author of the file would
//! choose which files are read, which programs run, and where data is sent.

use std::any::TypeId;
use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::{env, fmt, fs};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use serde::Serialize;
use serde_json::Value;

use super::flags::{MayNamePlace, TypedFlags};
use super::recorded_flags;
use crate::process::env_vars;
use crate::process::invocation::quoted;

/// A setting that must be given again whenever a run is resumed: a server, data sent to it, or a
/// folder whose files agents read or run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Granted<T>(T);

impl<T: Deref> Deref for Granted<T> {
    type Target = T::Target;

    fn deref(&self) -> &T::Target {
        &self.0
    }
}

impl<T> AsRef<OsStr> for Granted<T>
where
    T: AsRef<OsStr>,
{
    fn as_ref(&self) -> &OsStr {
        self.0.as_ref()
    }
}

impl<T: FromStr> FromStr for Granted<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

/// A flag in a file whose locations this start must give again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceFlag {
    /// Flag with its dashes.
    pub flag: String,
    /// Values of the flag.
    pub values: Vec<String>,
}

impl PlaceFlag {
    fn of(argument: &Arg, values: Vec<String>) -> Self {
        let flag = format!("--{}", argument.get_long().unwrap_or_default());
        Self { flag, values }
    }
}

/// Formats the flag for a shell.
impl Display for PlaceFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.values.iter();
        let words: Vec<String> = words
            .map(|value| format!("{} {}", self.flag, quoted(value)))
            .collect();
        f.write_str(&words.join(" "))
    }
}

/// Returns the recorded flags of `A` whose locations must be given again, in help order.
///
/// # Errors
/// A sentence about the first invalid value.
pub(super) fn recorded_places<A: Args>(flags: &Value) -> Result<Vec<PlaceFlag>, String> {
    let recorded = recorded_flags::matches::<A>(flags)?;
    Ok(places::<A>(&recorded, |_, _| false))
}

/// Returns the recorded flags that this start does not confirm. A typed flag overrides the recorded
/// value; an environment variable, seen in `now`, must have the same value.
pub(super) fn unconfirmed<A: Args>(
    recorded: &ArgMatches,
    now: &ArgMatches,
    typed: &TypedFlags,
) -> Vec<PlaceFlag> {
    places::<A>(recorded, |argument, recorded| {
        let values = now.try_get_raw(argument.get_id().as_str()).ok().flatten();
        let is_same = values.is_some_and(|values| values.eq(recorded.iter().map(OsStr::new)));
        is_same || typed.has(argument)
    })
}

/// Returns the recorded flags with locations, except confirmed ones.
fn places<A: Args>(
    matches: &ArgMatches,
    is_confirmed: impl Fn(&Arg, &[String]) -> bool,
) -> Vec<PlaceFlag> {
    let place = |argument: &Arg| {
        let id = argument.get_id().as_str();
        // A resumed run writes to its own folder, regardless of the recorded `--log-dir`.
        if id == "log_dir" || matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        let values = matches.try_get_raw(id).ok()??;
        let values = values.map(|value| value.to_string_lossy().into_owned());
        let values: Vec<String> = values.collect();
        // Server URLs are compared with those in environment variables when the models are
        // resolved.
        let is_open = id != "base_url" && is_place(argument, &values);
        (is_open && !is_confirmed(argument, &values)).then(|| PlaceFlag::of(argument, values))
    };
    let command = A::augment_args(Command::new("run"));
    command.get_arguments().filter_map(place).collect()
}

/// Returns the flag with these values from a settings file if they are locations that the
/// environment does not give.
pub(crate) fn unconfirmed_in_file(argument: &Arg, values: &[String]) -> Option<PlaceFlag> {
    let split = |text: &str| -> Vec<String> {
        let Some(delimiter) = argument.get_value_delimiter() else {
            return vec![text.to_owned()];
        };
        let parts = text.split(delimiter);
        parts.map(|part| part.trim().to_owned()).collect()
    };
    let values: Vec<String> = values.iter().flat_map(|value| split(value)).collect();
    let is_confirmed = || {
        let variable = argument.get_long().map(env_vars::of_flag);
        let given = variable.and_then(|variable| env::var(variable).ok());
        given.is_some_and(|given| split(&given) == values)
    };
    let is_url = argument.get_id() == "base_url";
    let must_be_given = (is_url || is_place(argument, &values)) && !is_confirmed();
    must_be_given.then(|| PlaceFlag::of(argument, values))
}

/// Whether the values of a flag are locations that a file cannot choose.
fn is_place(argument: &Arg, values: &[String]) -> bool {
    is_granted(argument) || !is_prose(argument) && values.iter().any(|value| leads_outside(value))
}

/// Whether a flag can name a file, folder or server.
pub(super) fn may_confirm(argument: &Arg) -> bool {
    is_granted(argument)
        || argument.get_value_parser().type_id() == TypeId::of::<PathBuf>()
        || argument.get::<MayNamePlace>().is_some()
}

pub(super) fn is_granted(argument: &Arg) -> bool {
    let of = argument.get_value_parser().type_id();
    of == TypeId::of::<Granted<PathBuf>>() || of == TypeId::of::<Granted<String>>()
}

/// Whether the flag's values are never used as paths.
pub(super) fn is_prose(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| name == "TEXT")
}

/// Whether a path is inside a folder after links are followed. For a path that does not exist yet,
/// its nearest existing ancestor decides.
pub(super) fn lies_inside(folder: &Path, path: &Path) -> bool {
    let Ok(folder) = fs::canonicalize(folder) else {
        return false;
    };
    for above in path.ancestors() {
        let Ok(real) = fs::canonicalize(above) else {
            // A dangling link may later lead anywhere.
            if above.is_symlink() || above.components().next_back() == Some(Component::ParentDir) {
                return false;
            }
            continue;
        };
        return real.starts_with(&folder);
    }
    false
}

/// Whether a value names a file or folder outside the current folder: by an absolute path, by `..`,
/// or by a link. A path may follow a prefix such as `replay:`, `file:` or `ALIAS=scripted:`.
fn leads_outside(value: &str) -> bool {
    let paths = value.char_indices().filter(|(_, c)| [':', '='].contains(c));
    let paths = paths.map(|(at, _)| &value[at + 1..]);
    std::iter::once(value).chain(paths).any(|text| {
        let path = Path::new(text);
        if path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
            return true;
        }
        !env::current_dir().is_ok_and(|here| lies_inside(&here, &here.join(path)))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{leads_outside, recorded_places};
    use crate::settings::RunArgs;

    #[test]
    fn finds_paths_outside_of_the_current_folder() {
        let rows = [
            ("questions.jsonl", false),
            ("s-niah", false),
            ("data/questions.jsonl", false),
            ("/etc/passwd", true),
            ("../questions.jsonl", true),
            ("data/../../x", true),
            ("replay:/dev/zero", true),
            ("replay:runs/one", false),
            ("file:/tmp/score.js", true),
            ("fast=scripted:/tmp/model.yaml", true),
            ("openai/gpt-5-mini", false),
            ("ollama/llama3:8b", false),
            ("1/8", false),
            ("domain=law|code", false),
        ];
        for (value, outside) in rows {
            assert_eq!(leads_outside(value), outside, "{value}");
        }
    }

    /// Flags are found in nested groups as well.
    #[test]
    fn lists_recorded_locations() {
        let flags = json!({
            "benchmark": "/srv/rows.jsonl",
            "engine": {
                "model": "replay:/dev/zero",
                "models": { "base_url": "http://127.0.0.1:1/v1", "header": ["x=$TOKEN"] },
                "guidance": { "layers": { "persona": "/a text", "tools_dir": "tools" } },
                "tools": { "files_dir": "." },
                "store": { "record": "/etc/cron.d/x" },
            },
            "hooks_dir": "hooks",
        });
        let places = recorded_places::<RunArgs>(&flags).unwrap();
        let mut places: Vec<String> = places.iter().map(ToString::to_string).collect();
        places.sort();
        assert_eq!(
            places,
            [
                "--benchmark /srv/rows.jsonl",
                "--files-dir .",
                "--header 'x=$TOKEN'",
                "--hooks-dir hooks",
                "--model replay:/dev/zero",
                "--record /etc/cron.d/x",
                "--tools-dir tools",
            ]
        );
    }
}
