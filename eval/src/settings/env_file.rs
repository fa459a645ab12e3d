//! Reads the file `.env`: keys and base URLs of providers, and values of flags.
//!
//! The file is not trusted, because it may have come with a downloaded folder: only known names are
//! read, flags that [`FromFile`] rejects are ignored, and nothing is passed to the environment of
//! this process or its children.

mod place;
mod syntax;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, str};

use harness::nearest;
use harness::provider::http::endpoints;

use self::place::{Found, find};
use self::syntax::{Entry, entries};
use super::SettingsError;
use super::from_file::{FlagVariable, FromFile};
use super::places::lies_inside;
use crate::process::env_vars::{self, PREFIX};
use crate::process::terminal;

static READ: OnceLock<EnvFile> = OnceLock::new();

/// Values read from the file.
struct EnvFile {
    path: PathBuf,
    /// Keys and base URLs of providers, by variable name.
    providers: BTreeMap<String, String>,
    /// Variables of flags, by name.
    flags: BTreeMap<String, String>,
}

/// Reads the nearest file `.env` in the current folder or above, up to the project root, and prints
/// a warning for each ignored line or file. Does nothing if there is no file. `flags` are the flags
/// by their environment variables.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read or parsed. The message contains no value,
/// because the file contains keys.
pub fn load_env_file(flags: &BTreeMap<String, FlagVariable>) -> Result<(), SettingsError> {
    let Ok(here) = env::current_dir() else {
        return Ok(());
    };
    let wrong =
        |path: &Path, problem: &str| SettingsError::new(format!("{}: {problem}", path.display()));
    let (path, text) = match find(&here) {
        Err((path, error)) => return Err(wrong(&path, &error.to_string())),
        Ok(Found::None) => return Ok(()),
        Ok(Found::Ignored(path, why)) => {
            terminal::warning(&format!("{} is ignored: {why}", path.display()));
            return Ok(());
        }
        Ok(Found::Text(path, text)) => (path, text),
    };
    let text = str::from_utf8(&text).map_err(|_| wrong(&path, "it is not UTF-8"))?;
    let entries = entries(text)
        .map_err(|line| wrong(&path, &format!("line {line} is not of the form NAME=value")))?;
    let mut read = EnvFile {
        path,
        providers: BTreeMap::new(),
        flags: BTreeMap::new(),
    };
    for entry in entries {
        read.take(entry, flags, &here)?;
    }
    let _ = READ.set(read);
    Ok(())
}

impl EnvFile {
    /// Stores a value, warns about a name that is not allowed, and ignores variables of other
    /// programs. If a name occurs repeatedly, its first value counts.
    fn take(
        &mut self,
        entry: Entry,
        flags: &BTreeMap<String, FlagVariable>,
        here: &Path,
    ) -> Result<(), SettingsError> {
        let Entry { line, name, value } = entry;
        let place = format!("{}:{line}", self.path.display());
        if is_of_provider(&name) {
            if value.contains("${") {
                return Err(SettingsError::with_hint(
                    format!(
                        "{place}: {name}: values in this file are literal, so `${{…}}` is not expanded"
                    ),
                    format!("write out the value, or export {name}"),
                ));
            }
            self.providers.entry(name).or_insert(value);
            return Ok(());
        }
        if !name.starts_with(PREFIX) {
            return Ok(());
        }
        let Some(variable) = flags.get(&name) else {
            terminal::warning(&if env_vars::NOT_FLAGS.contains(&name.as_str()) {
                format!("{place}: {name} is ignored: it applies only in the environment; export it")
            } else {
                format!(
                    "{place}: {}",
                    unknown(&name, flags.keys().map(String::as_str))
                )
            });
            return Ok(());
        };
        let folder = self.path.parent().unwrap_or(here);
        let ignored = match variable.from_file {
            FromFile::Never => Some("a file cannot grant this permission".to_owned()),
            FromFile::Inside if !names_inside(folder, here, &value, variable.delimiter) => Some(
                format!("its value names a path outside {}", folder.display()),
            ),
            FromFile::Inside | FromFile::Any => None,
        };
        match ignored {
            None => {
                self.flags.entry(name).or_insert(value);
            }
            Some(why) => terminal::warning(&format!(
                "{place}: {name} is ignored: {why}; type {}, or export {name}",
                variable.flag
            )),
        }
        Ok(())
    }
}

/// Whether every file that a value names lies inside a folder. The value is a path or contains
/// paths, as in `ALIAS=scripted:FILE`.
fn names_inside(folder: &Path, here: &Path, value: &str, delimiter: Option<char>) -> bool {
    let part = |part: &str| !part.starts_with('~') && lies_inside(folder, &here.join(part));
    let is_divider =
        |letter: char| matches!(letter, ':' | ';' | ',' | '=') || Some(letter) == delimiter;
    part(value) && value.split(is_divider).all(|text| part(text.trim()))
}

/// Whether a variable is the key or base URL of a provider in `harness/endpoints.yaml`.
fn is_of_provider(name: &str) -> bool {
    endpoints()
        .iter()
        .any(|endpoint| endpoint.base_url_variable == name || endpoint.key.as_deref() == Some(name))
}

/// Returns a key or base URL of a provider from the file. The environment has priority: see
/// [`super::servers`].
pub(super) fn of_file(name: &str) -> Option<&'static str> {
    let value = READ.get()?.providers.get(name)?;
    Some(value.as_str()).filter(|value| !value.trim().is_empty())
}

/// Returns the value of a flag's variable from the environment or the file.
pub(super) fn flag_variable(flag: &str) -> Option<String> {
    let name = env_vars::of_flag(flag);
    let of_file = || flags()?.get(&name).cloned();
    match env::var_os(&name) {
        Some(value) => value.into_string().ok(),
        None => of_file(),
    }
}

/// Returns the variables of flags from the file, by name, if it was read.
pub(super) fn flags() -> Option<&'static BTreeMap<String, String>> {
    READ.get().map(|file| &file.flags)
}

/// Returns the path of the file that was read, for messages.
pub(super) fn path() -> Option<&'static Path> {
    READ.get().map(|file| file.path.as_path())
}

/// Returns a sentence that names the file and the variables read from it, without their values.
/// `None` if no variable was read.
pub fn env_file_note() -> Option<String> {
    let file = READ.get()?;
    let names: Vec<&str> = file
        .flags
        .keys()
        .chain(file.providers.keys())
        .map(String::as_str)
        .collect();
    (!names.is_empty()).then(|| format!("{} sets {}", file.path.display(), names.join(", ")))
}

/// Returns warnings about unknown environment variables that look like a flag's, each with the most
/// similar known variable. `flags` are the variables of all flags.
pub fn misspelt_variables(flags: &BTreeSet<String>) -> Vec<String> {
    let set = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let all = || {
        let flags = flags.iter().map(String::as_str);
        flags.chain(env_vars::NOT_FLAGS.iter().copied())
    };
    let mut unknown_names: Vec<String> = set
        .filter(|name| name.starts_with(PREFIX) && !all().any(|known| known == name))
        .collect();
    unknown_names.sort();
    unknown_names
        .iter()
        .map(|name| unknown(name, all()))
        .collect()
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known = known.filter_map(|name| name.strip_prefix(PREFIX));
    match nearest(&name[PREFIX.len()..], known) {
        Some(like) => format!("{name} is not a known variable; did you mean {PREFIX}{like}?"),
        None => format!("{name} is not a known variable"),
    }
}
