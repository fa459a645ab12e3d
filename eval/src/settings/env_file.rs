//! The file `.env`: environment variables for this program alone.

use std::path::{Path, PathBuf};
use std::{env, fs};

use harness::nearest;

use super::SettingsError;
use crate::cli;
use crate::env_vars::{self, PREFIX};

/// Flags that guard this machine from data of others, which a file `.env` may have come with.
const TYPED: [&str; 3] = ["--allow-commands", "--trust-pages", "--allow-local"];

/// Sets the variables of the nearest file `.env`, here or in a folder above. Variables that the
/// environment has already keep their values; without such a file nothing happens.
///
/// To be called while the process has one thread.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read or parsed. It shows nothing of the file,
/// which holds keys.
pub fn load_env_file() -> Result<(), SettingsError> {
    let Some(path) = find() else { return Ok(()) };
    let entries = dotenvy::from_path_iter(&path).into_iter().flatten();
    // What is wrong with the others is said below.
    for (name, _) in entries.map_while(Result::ok) {
        if let Some(flag) = TYPED
            .into_iter()
            .find(|flag| env_vars::of_flag(flag) == name)
        {
            return Err(SettingsError::with_hint(
                format!(
                    "{}: {name} does not count there: the file may have come with the data",
                    path.display()
                ),
                format!(
                    "if you trust the data, type {flag}, or set the variable in the environment"
                ),
            ));
        }
    }
    dotenvy::from_path(&path).map_err(|error| {
        let problem = match &error {
            dotenvy::Error::LineParse(line, _) => {
                let number = line_number(&path, line)
                    .map_or(String::new(), |line| format!("line {line} is "));
                format!("{number}not of the form NAME=value")
            }
            dotenvy::Error::Io(error) => error.to_string(),
            _ => "not a list of lines NAME=value".to_owned(),
        };
        SettingsError::new(format!("{}: {problem}", path.display()))
    })
}

/// Variables that look like a flag's and are none that the program reads, each with the one that it resembles most.
pub fn misspelt_variables() -> Vec<String> {
    let set = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let flags = cli::variables();
    let all = || {
        let flags = flags.iter().map(String::as_str);
        flags.chain(env_vars::NOT_FLAGS.iter().copied())
    };
    let mut unknown: Vec<String> = set
        .filter(|name| name.starts_with(PREFIX) && !all().any(|known| known == name))
        .collect();
    unknown.sort();
    let warnings = unknown.iter().map(|name| {
        let known = all().filter_map(|name| name.strip_prefix(PREFIX));
        match nearest(&name[PREFIX.len()..], known) {
            Some(like) => format!("{name} is not a known variable; did you mean {PREFIX}{like}?"),
            None => format!("{name} is not a known variable"),
        }
    });
    warnings.collect()
}

fn find() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let mut candidates = here.ancestors().map(|folder| folder.join(".env"));
    candidates.find(|path| path.is_file())
}

fn line_number(path: &Path, line: &str) -> Option<usize> {
    let text = fs::read_to_string(path).ok()?;
    let before = &text[..text.find(line)?];
    Some(before.matches('\n').count() + 1)
}
