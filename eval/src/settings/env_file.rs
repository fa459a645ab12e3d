//! The file `.env`: environment variables for this program alone.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::SettingsError;

/// Sets the variables of the nearest file `.env`, here or in a folder above. Variables that the
/// environment has already keep their values; without such a file nothing happens.
///
/// To be called while the process has one thread.
///
/// # Errors
/// [`SettingsError::EnvFile`] for a file that cannot be read or parsed. It shows nothing of the file,
/// which holds keys.
pub fn load_env_file() -> Result<(), SettingsError> {
    let Some(path) = find() else { return Ok(()) };
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
        SettingsError::EnvFile { path, problem }
    })
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
