//! Drivers: additional guidance for the root, in Markdown files with front matter.

use std::fmt;
use std::path::PathBuf;

use super::error::PromptError;
use super::yaml;
use crate::model::{Protocol, UnknownProtocol, protocol_words};
use crate::settings::PromptMode;
use crate::text::sha256_hex;
use serde::Deserialize;

/// Additional guidance at the end of the root's prompt.
///
/// The file begins with YAML front matter between two lines `---`:
///
/// ```yaml
/// name: deadline-return            # the file's name without .md: lowercase letters, digits and -
/// description: One line for lists of drivers.
/// modes: [solver, coordinator]     # the prompt modes that it is written for
/// protocols: [rlm]                 # optional: the protocols that it is written for; rlm by default
/// conflicts: [other-driver]        # optional: drivers that contradict it
/// ```
///
/// The Markdown below the front matter is the guidance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// Name of the driver, equal to the name of its file without `.md`.
    pub name: String,
    /// Description, as one line.
    pub description: String,
    /// Prompt modes that the driver is written for.
    pub modes: Vec<PromptMode>,
    /// Protocols that the driver is written for.
    pub protocols: Vec<Protocol>,
    /// Names of drivers that contradict this driver.
    pub conflicts: Vec<String>,
    /// Guidance as the model reads it, with `\n` line endings and without surrounding blank lines.
    pub body: String,
    /// Origin of the driver.
    pub source: DriverSource,
    /// SHA-256 of the body, in hex.
    pub digest: String,
}

/// Origin of a driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverSource {
    /// Part of the program.
    Bundled,
    /// A user's file.
    File(PathBuf),
}

impl fmt::Display for DriverSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled => f.write_str("bundled"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    name: String,
    description: String,
    modes: Vec<String>,
    protocols: Option<Vec<String>>,
    #[serde(default)]
    conflicts: Vec<String>,
}

impl Driver {
    /// Parses a driver from its file's text; `file_name` is the name without `.md`.
    ///
    /// # Errors
    /// Returns [`PromptError::Invalid`], which names the file and the field or line.
    pub(super) fn parse(
        file_name: &str,
        source: DriverSource,
        text: &str,
    ) -> Result<Self, PromptError> {
        let origin = match &source {
            DriverSource::Bundled => format!("bundled driver {file_name}.md"),
            DriverSource::File(path) => path.display().to_string(),
        };
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, body) =
            split_front_matter(&text).map_err(|problem| invalid(&origin, problem))?;
        let front: FrontMatter = yaml::parse(&origin, front)?;
        let modes = front
            .check(file_name)
            .map_err(|problem| invalid(&origin, problem))?;
        let protocols = front
            .protocols()
            .map_err(|problem| invalid(&origin, problem))?;
        let body = body.trim().to_owned();
        if body.is_empty() {
            return Err(invalid(&origin, "no guidance follows the front matter"));
        }
        let FrontMatter {
            name,
            description,
            conflicts,
            ..
        } = front;
        Ok(Self {
            name,
            description,
            modes,
            protocols,
            conflicts,
            digest: sha256_hex(&body),
            body,
            source,
        })
    }

    /// Checks that the driver is written for this protocol.
    ///
    /// # Errors
    /// Returns [`DriverProtocolMismatch`] with the protocols that the driver is written for.
    pub fn fits(&self, protocol: Protocol) -> Result<(), DriverProtocolMismatch> {
        if self.protocols.contains(&protocol) {
            return Ok(());
        }
        Err(DriverProtocolMismatch {
            name: self.name.clone(),
            protocols: self.protocols.clone(),
            protocol,
        })
    }
}

/// Error for a driver that is not written for the run's protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("driver `{name}` requires --protocol {}, but the protocol is {protocol}", protocol_words(.protocols))]
pub struct DriverProtocolMismatch {
    /// Name of the driver.
    pub name: String,
    /// Protocols that the driver is written for.
    pub protocols: Vec<Protocol>,
    /// Protocol of the run.
    pub protocol: Protocol,
}

/// Splits a file into front matter and the rest. Keeps the first `---`, so that the parser's line
/// numbers match those of the file.
fn split_front_matter(text: &str) -> Result<(&str, &str), &'static str> {
    if !text.starts_with("---\n") {
        return Err(
            "the first line is not `---`: a driver begins with front matter (name, description, modes)",
        );
    }
    let end = text
        .find("\n---\n")
        .or_else(|| text.ends_with("\n---").then(|| text.len() - "\n---".len()));
    let end = end.ok_or("the front matter is not closed: expected a second line `---`")?;
    Ok((
        &text[..=end],
        text.get(end + "\n---\n".len()..).unwrap_or_default(),
    ))
}

fn invalid(origin: &str, problem: impl fmt::Display) -> PromptError {
    PromptError::Invalid(format!("{origin}: {problem}"))
}

impl FrontMatter {
    /// Checks `name`, `description` and `modes`, and returns the parsed modes.
    fn check(&self, file_name: &str) -> Result<Vec<PromptMode>, String> {
        let name = &self.name;
        if name != file_name {
            return Err(format!(
                "field `name`: `{name}` differs from the file's name, expected `{file_name}`"
            ));
        }
        if name.is_empty()
            || !name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        {
            return Err(format!(
                "field `name`: invalid name `{name}`: expected lowercase letters, digits or `-`"
            ));
        }
        if self.description.trim().is_empty() || self.description.contains('\n') {
            return Err("field `description`: expected one line of text".to_owned());
        }
        if self.modes.is_empty() {
            return Err(
                "field `modes`: expected at least one of `solver`, `coordinator`".to_owned(),
            );
        }
        let modes = self.modes.iter().map(|mode| mode.parse());
        modes
            .collect::<Result<_, String>>()
            .map_err(|error| format!("field `modes`: {error}"))
    }

    /// Returns the protocols that the driver is written for; `rlm` by default.
    fn protocols(&self) -> Result<Vec<Protocol>, String> {
        let Some(words) = &self.protocols else {
            return Ok(vec![Protocol::Rlm]);
        };
        if words.is_empty() {
            let all = Protocol::ALL.map(|protocol| format!("`{protocol}`"));
            return Err(format!(
                "field `protocols`: expected at least one of {}",
                all.join(", ")
            ));
        }
        let protocols = words.iter().map(|word| word.parse());
        protocols
            .collect::<Result<_, UnknownProtocol>>()
            .map_err(|error| format!("field `protocols`: {error}"))
    }
}
