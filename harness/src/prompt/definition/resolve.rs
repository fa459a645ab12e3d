//! Replaces includes with the included texts.

use super::fault::{Fault, Faults};
use super::library::Library;
use super::properties::{Definition, PromptContent, PromptPart};
use crate::prompt::DefinitionPiece;

/// Maximum depth of nested includes.
const DEEPEST: usize = 64;
/// Maximum bytes of a resolved prompt: more than any model accepts as a system prompt.
const LONGEST: usize = 1_000_000;

/// The text of a prompt as pieces, each from one definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedPrompt {
    /// Pieces in order, without separators.
    pub pieces: Vec<Piece>,
}

/// A piece of text from one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Name of the definition.
    pub from: String,
    /// The text.
    pub text: String,
}

impl ResolvedPrompt {
    /// Returns the whole text.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    /// Returns the pieces without the names of their definitions.
    pub fn into_pieces(self, library: &Library) -> Vec<DefinitionPiece> {
        let pieces = self.pieces.into_iter();
        let pieces = pieces.map(|piece| DefinitionPiece {
            of_section: library.is_section(&piece.from),
            text: piece.text,
        });
        pieces.collect()
    }

    fn byte_len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.text.len()).sum()
    }
}

impl Library {
    /// Returns the prompt of a definition with all includes resolved recursively. An include
    /// inserts only the `prompt` of the included definition.
    ///
    /// # Errors
    /// Returns a fault for every include of an unknown definition, for every cycle, for more than
    /// 64 nested includes, and for a prompt of more than a million bytes. Each fault has the path
    /// of includes that leads to it.
    pub fn resolve(&self, definition: &Definition) -> Result<ResolvedPrompt, Faults> {
        let mut resolution = Resolution {
            library: self,
            path: vec![definition.name.clone()],
            prompt: ResolvedPrompt::default(),
            faults: Vec::new(),
            full: false,
        };
        resolution.add(definition);
        if resolution.faults.is_empty() {
            Ok(resolution.prompt)
        } else {
            Err(Faults(resolution.faults))
        }
    }
}

struct Resolution<'a> {
    library: &'a Library,
    /// Names of the definitions whose text is being inserted, outermost first.
    path: Vec<String>,
    prompt: ResolvedPrompt,
    faults: Vec<Fault>,
    /// Whether the maximum length or nesting was exceeded, so that nothing more is inserted.
    full: bool,
}

impl Resolution<'_> {
    fn add(&mut self, definition: &Definition) {
        match &definition.prompt {
            PromptContent::Text(text) => self.push(definition, "prompt", text),
            PromptContent::Parts(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    match part {
                        PromptPart::Text { content } => {
                            self.push(definition, &format!("prompt[{at}]"), content);
                        }
                        PromptPart::Include { prompt } => {
                            self.include(definition, &format!("prompt[{at}].prompt"), prompt);
                        }
                    }
                }
            }
        }
    }

    fn push(&mut self, definition: &Definition, field: &str, text: &str) {
        if self.full {
            return;
        }
        if self.prompt.byte_len() + text.len() > LONGEST {
            self.full = true;
            let problem = format!("the resolved prompt is longer than {LONGEST} bytes");
            self.fault(definition, field, problem, None);
            return;
        }
        self.prompt.pieces.push(Piece {
            from: definition.name.clone(),
            text: text.to_owned(),
        });
    }

    fn include(&mut self, definition: &Definition, field: &str, name: &str) {
        if self.full {
            return;
        }
        if self.path.iter().any(|outer| outer == name) {
            let problem = format!("including `{name}` creates a cycle");
            self.fault(definition, field, problem, Some(name));
            return;
        }
        let library = self.library;
        match library.get(name) {
            Err(_) if library.is_broken(name) => {}
            Err(problem) => self.fault(definition, field, problem, None),
            Ok(_) if self.path.len() > DEEPEST => {
                self.full = true;
                let problem = format!("more than {DEEPEST} nested includes");
                self.fault(definition, field, problem, None);
            }
            Ok(included) => {
                self.path.push(name.to_owned());
                self.add(included);
                self.path.pop();
            }
        }
    }

    fn fault(&mut self, at: &Definition, field: &str, problem: String, closing: Option<&str>) {
        let mut includes = self.path.clone();
        includes.extend(closing.map(str::to_owned));
        if includes.len() == 1 {
            includes.clear();
        }
        self.faults.push(Fault {
            place: at.place(field),
            problem,
            includes,
        });
    }
}
