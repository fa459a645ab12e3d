//! Parses the file formats of definitions: Markdown with front matter, YAML, JSON, and modules that
//! call `definePrompt`.

use std::path::Path;

use sandbox::module_calls;

use super::fault::{Fault, Faults};
use super::parse::{self, Body};
use super::properties::{Definition, Source};
use super::reader::Reader;
use super::tree::{Content, Entry, Node};
use crate::text::{LineError, sha256_hex};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Markdown,
    /// Markdown that is a fragment even if its first line is `---`.
    Section,
    Yaml,
    Json,
    TypeScript,
    JavaScript,
}

impl Format {
    /// Returns the format for a file's extension, or `None` if files with this extension are not
    /// definitions.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "md" => Some(Self::Markdown),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "ts" => Some(Self::TypeScript),
            "js" => Some(Self::JavaScript),
            _ => None,
        }
    }

    /// Whether a file with this text is a definition. Code files that do not call `definePrompt`
    /// are not.
    pub fn fits(self, text: &str) -> bool {
        let is_typescript = self == Self::TypeScript;
        let is_code = is_typescript || self == Self::JavaScript;
        !is_code || module_calls(text, is_typescript, "definePrompt")
    }
}

/// Parses a definition from a file's text; `stem` is the file's name without its extension.
///
/// Markdown without front matter is a fragment named after its file.
///
/// # Errors
/// Returns all faults of the file.
pub(super) fn read(
    format: Format,
    stem: &str,
    source: &Source,
    text: &str,
) -> Result<Definition, Faults> {
    match read_partial(format, stem, source, text) {
        (Some(definition), faults) if faults.is_empty() => Ok(definition),
        (_, faults) => Err(Faults(faults)),
    }
}

/// Parses like [`read`], but if there are faults, also returns a partial definition, in which
/// invalid values are empty.
pub(super) fn read_partial(
    format: Format,
    stem: &str,
    source: &Source,
    text: &str,
) -> (Option<Definition>, Vec<Fault>) {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut reader = Reader::new(source);
    let digest = sha256_hex(&text);
    let read = match format {
        Format::Markdown => front_matter(&text),
        Format::Section => Ok((nothing(), body(&text, 1))),
        Format::Yaml => Node::from_yaml(&text).map(|node| (node, None)),
        Format::Json => Node::from_json(&text).map(|node| (node, None)),
        Format::TypeScript => Node::from_module(&text, true).map(|node| (node, None)),
        Format::JavaScript => Node::from_module(&text, false).map(|node| (node, None)),
    };
    let (mut node, body) = match read {
        Ok(read) => read,
        Err(LineError { line, problem }) => {
            reader.fault(line, "", problem);
            return (None, reader.faults);
        }
    };
    if matches!(format, Format::Markdown | Format::Section)
        && matches!(&node.content, Content::Null)
    {
        node.content = Content::Map(vec![Entry {
            key: "name".to_owned(),
            value: Node {
                line: None,
                content: Content::Text(stem.to_owned()),
            },
        }]);
    }
    let definition = parse::definition(&mut reader, &node, body.as_ref(), source, digest);
    reader.faults.sort_by_key(|fault| fault.place.line);
    (definition, reader.faults)
}

/// Splits a Markdown file into its front matter and the text below; both are optional.
fn front_matter(text: &str) -> Result<(Node, Option<Body<'_>>), LineError> {
    let Some(rest) = text.strip_prefix("---\n") else {
        return Ok((nothing(), body(text, 1)));
    };
    let (front, below) = if let Some(below) = rest.strip_prefix("---\n") {
        ("", below)
    } else if let Some((front, below)) = rest.split_once("\n---\n") {
        (front, below)
    } else if let Some(front) = rest.strip_suffix("\n---") {
        (front, "")
    } else {
        return Err(LineError {
            line: Some(1),
            problem: "the front matter is not closed: expected a second line `---`".to_owned(),
        });
    };
    // Keep the first `---`, so that the parser's line numbers match those of the file.
    let yaml = &text[..front.len() + 4];
    let first = yaml.lines().count() as u64 + 2;
    let node = if front.trim().is_empty() {
        nothing()
    } else {
        Node::from_yaml(yaml)?
    };
    Ok((node, body(below, first)))
}

/// Returns the node for missing front matter.
const fn nothing() -> Node {
    Node {
        line: Some(1),
        content: Content::Null,
    }
}

/// Returns the text below front matter, without surrounding blank lines, and the number of its
/// first line.
fn body(text: &str, first_line: u64) -> Option<Body<'_>> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    let start = text.len() - text.trim_start().len();
    let blank = text[..start].matches('\n').count() as u64;
    Some(Body {
        text: trimmed,
        line: first_line + blank,
    })
}
