//! Reads a single definition without a library, from a user's file or a bundled text.

use std::path::Path;

use super::fault::{Fault, Faults, SourceLocation};
use super::file::{self, Format};
use super::library::unreadable;
use super::properties::{Definition, Source};

impl Definition {
    /// Reads the definition in a Markdown, YAML, JSON, TypeScript or JavaScript file.
    ///
    /// # Errors
    /// Returns all faults of the file, or that it cannot be read.
    pub fn open(path: &Path) -> Result<Self, Faults> {
        let format = Format::of(path).ok_or_else(|| {
            let problem = "expected a file *.md, *.yaml, *.yml, *.json, *.ts or *.js";
            Fault::new(SourceLocation::of_file(path.display()), problem)
        })?;
        let text = crate::text::read_text_file(path).map_err(|error| unreadable(path, &error))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        file::read(format, &stem, &Source::File(path.to_owned()), &text)
    }

    /// Parses the bundled definition `NAME.md`.
    ///
    /// # Errors
    /// Returns all faults of the text.
    pub fn bundled(name: &str, text: &str) -> Result<Self, Faults> {
        let source = Source::Bundled(format!("{name}.md"));
        file::read(Format::Markdown, name, &source, text)
    }
}
