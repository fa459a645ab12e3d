//! The prompt of a judge, read from a definition file. Only its text and reasoning settings are
//! used.

use std::path::Path;

use harness::prompt::definition::{Definition, Kind, PromptContent, PromptPart};
use harness::provider::Effort;

/// Default maximum number of times that a judge is asked about one answer.
pub const JUDGE_ATTEMPTS: u32 = 3;

/// Bundled prompts: name and file.
const BUNDLED: [(&str, &str); 1] = [("judge", include_str!("judge.md"))];

/// System prompt and reasoning settings of a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgePrompt {
    /// Name of the prompt.
    pub name: String,
    /// Text of the system prompt.
    pub text: String,
    /// Reasoning effort of the judge.
    pub effort: Option<Effort>,
    /// Maximum reasoning tokens.
    pub reasoning_tokens: Option<u32>,
    /// Lowercase hex SHA-256 of the file.
    pub digest: String,
}

impl JudgePrompt {
    /// Opens the bundled prompt with this name, otherwise the file at this path.
    ///
    /// # Errors
    /// The problem with the file, including its line if known.
    pub fn open(given: &str) -> Result<Self, String> {
        let bundled = BUNDLED.iter().find(|(name, _)| *name == given);
        let definition = match bundled {
            Some((name, text)) => Definition::bundled(name, text),
            None if Path::new(given).exists() => Definition::open(Path::new(given)),
            None => {
                let known = BUNDLED.map(|(name, _)| name).join(", ");
                return Err(format!(
                    "unknown judge prompt `{given}`: expected a file or a bundled prompt ({known})"
                ));
            }
        };
        Self::of(&definition.map_err(|faults| faults.to_string())?)
    }

    /// Extracts the judge's prompt from a definition.
    fn of(definition: &Definition) -> Result<Self, String> {
        let wrong = |field: &str, problem: &str| {
            let place = definition.place(field);
            Err(match place.line {
                Some(line) => format!("{}:{line}: {problem}", place.file),
                None => format!("{}: {problem}", place.file),
            })
        };
        if definition.kind != Kind::Prompt {
            return wrong(
                "name",
                "a judge's prompt has `toolDescription` and `model` in its front matter",
            );
        }
        if !definition.tools.is_empty() {
            return wrong("tools", "a judge cannot call tools");
        }
        if definition.required_schema.is_some() {
            return wrong(
                "requiredSchema",
                "a judge gets only the question, the right answer and the given answer",
            );
        }
        let mut text = String::new();
        match &definition.prompt {
            PromptContent::Text(whole) => text.push_str(whole),
            PromptContent::Parts(parts) => {
                for part in parts {
                    match part {
                        PromptPart::Text { content } => text.push_str(content),
                        PromptPart::Include { .. } => {
                            return wrong("prompt", "a judge's prompt cannot contain includes");
                        }
                    }
                }
            }
        }
        let reasoning = definition.reasoning;
        Ok(Self {
            name: definition.name.clone(),
            text: text.trim().to_owned(),
            effort: reasoning.and_then(|reasoning| reasoning.effort),
            reasoning_tokens: reasoning.and_then(|reasoning| Some(reasoning.max_tokens?.get())),
            digest: definition.digest.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use harness::prompt::definition::Definition;

    use super::{BUNDLED, JudgePrompt};

    #[test]
    fn rejects_definitions_unfit_for_a_judge() {
        for (name, _) in BUNDLED {
            assert_eq!(JudgePrompt::open(name).unwrap().name, name);
        }
        let front = "---\nname: x\ntoolDescription: d\nmodel: judge\n";
        let rows = [
            (
                format!("{front}reasoning: {{effort: high, maxTokens: 9}}\n---\nJudge.\n"),
                "Judge. Some(High) Some(9)",
            ),
            (
                format!("{front}tools: [a]\n---\nJudge."),
                "bundled x.md:5: a judge cannot call tools",
            ),
            (
                "Judge.".to_owned(),
                "bundled x.md: a judge's prompt has `toolDescription` and `model` in its front matter",
            ),
        ];
        for (file, wanted) in rows {
            let definition = Definition::bundled("x", &file).unwrap();
            let found = match JudgePrompt::of(&definition) {
                Ok(prompt) => format!(
                    "{} {:?} {:?}",
                    prompt.text, prompt.effort, prompt.reasoning_tokens
                ),
                Err(problem) => problem,
            };
            assert_eq!(found, wanted);
        }
    }
}
