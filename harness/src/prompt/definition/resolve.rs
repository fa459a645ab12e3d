//! Includes: the text of a prompt with every included one in its place.

use super::fault::{Fault, Faults};
use super::library::Library;
use super::properties::{Definition, PromptContent, PromptPart};

/// Includes inside of includes.
const DEEPEST: usize = 64;
/// Characters of a resolved prompt: more than any model reads as one system prompt.
const LONGEST: usize = 1_000_000;

/// The text of a prompt, its pieces by the definition that they are from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedPrompt {
    /// The pieces in order, with nothing between.
    pub pieces: Vec<Piece>,
}

/// A text of one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The name of the definition.
    pub from: String,
    /// The text.
    pub text: String,
}

impl ResolvedPrompt {
    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    fn chars(&self) -> usize {
        self.pieces.iter().map(|piece| piece.text.len()).sum()
    }
}

impl Library {
    /// The prompt of the definition of this name, with every include in its place, recursively. An include brings
    /// the `prompt` of the other definition and nothing else of it.
    ///
    /// # Errors
    /// Every include of an unknown definition, every cycle, and a prompt deeper than 64 includes or longer than a
    /// million bytes; each with the path of includes that leads to it.
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
    /// The definitions whose text is being put in, the outermost first.
    path: Vec<String>,
    prompt: ResolvedPrompt,
    faults: Vec<Fault>,
    /// Whether the prompt is too long already, so that nothing more is put in.
    full: bool,
}

impl Resolution<'_> {
    fn add(&mut self, definition: &Definition) {
        match &definition.prompt {
            PromptContent::Text(text) => self.push(definition, "prompt", text),
            PromptContent::Parts(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    match part {
                        PromptPart::Text(text) => {
                            self.push(definition, &format!("prompt[{at}]"), text);
                        }
                        PromptPart::Include(name) => {
                            self.include(definition, &format!("prompt[{at}].prompt"), name);
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
        if self.prompt.chars() + text.len() > LONGEST {
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
            let problem = format!("including `{name}` closes a circle");
            self.fault(definition, field, problem, Some(name));
            return;
        }
        let library = self.library;
        match library.get(name) {
            Err(_) if library.is_broken(name) => {}
            Err(problem) => self.fault(definition, field, problem, None),
            Ok(_) if self.path.len() > DEEPEST => {
                self.full = true;
                let problem = format!("more than {DEEPEST} includes inside of each other");
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
