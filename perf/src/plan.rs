//! Plans of benchmarked agents. Each agent's query contains its plan, so the model server needs no
//! state per agent.

use serde_json::Value;

/// Beginning of every reply, by which the server recognizes its own replies.
pub const PREFACE: &str = "I look at it.";

/// Language of an agent's code, which determines how the agent returns its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `eval`: JavaScript that ends with `return(value)`.
    Eval,
    /// `rllm`: JavaScript that ends with `giveFinalAnswer()`.
    Rllm,
    /// `rlms`: Python that ends with `answer["ready"]`.
    Rlms,
}

impl Language {
    /// Returns the language of the program that requests this model.
    pub fn of_model(model: &str) -> Self {
        match model {
            "rllm" => Self::Rllm,
            "rlms" => Self::Rlms,
            _ => Self::Eval,
        }
    }
}

/// Plan of an agent, given by the words `plan=NAME/NUMBER/…;` in its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Prints in every iteration except the last, in which it returns.
    Loop { iterations: u32 },
    /// Starts the given number of concurrent children at each level. The leaves run two iterations
    /// and wait at the server's gate before the second.
    Tree { widths: Vec<u32> },
    /// Runs one cell, waits at the server's gate, and answers.
    Hold,
    /// Answers in the first turn; the server delays the reply by this time.
    Delay { milliseconds: u64 },
}

impl Plan {
    /// Returns the first plan in the messages of a conversation, or else a loop of two iterations.
    pub fn find<'a>(mut contents: impl Iterator<Item = &'a Value>) -> Self {
        contents
            .find_map(|content| match content {
                Value::String(text) => Self::parse(text),
                Value::Array(parts) => parts
                    .iter()
                    .find_map(|part| Self::parse(part["text"].as_str()?)),
                _ => None,
            })
            .unwrap_or(Self::Loop { iterations: 2 })
    }

    fn parse(text: &str) -> Option<Self> {
        let (_, plan) = text.split_once("plan=")?;
        let (plan, _) = plan.split_once(';')?;
        let (name, numbers) = plan.split_once('/').unwrap_or((plan, ""));
        let numbers: Vec<u32> = numbers.split('/').filter_map(|n| n.parse().ok()).collect();
        Some(match name {
            "hold" => Self::Hold,
            "delay" => Self::Delay {
                milliseconds: numbers.first().copied().unwrap_or(0).into(),
            },
            "tree" => Self::Tree { widths: numbers },
            "loop" => Self::Loop {
                iterations: numbers.first().copied().unwrap_or(2),
            },
            _ => return None,
        })
    }

    /// Formats the plan for a query.
    pub fn text(&self) -> String {
        match self {
            Self::Loop { iterations } => format!("plan=loop/{iterations};"),
            Self::Hold => "plan=hold;".to_owned(),
            Self::Delay { milliseconds } => format!("plan=delay/{milliseconds};"),
            Self::Tree { widths } => {
                let widths: String = widths.iter().map(|width| format!("/{width}")).collect();
                format!("plan=tree{widths};")
            }
        }
    }

    /// Whether the server's gate holds back the reply in the given turn, 1-based.
    pub fn waits(&self, turn: u32) -> bool {
        let is_leaf = match self {
            Self::Hold => true,
            Self::Tree { widths } => widths.is_empty(),
            Self::Loop { .. } | Self::Delay { .. } => false,
        };
        is_leaf && turn == 2
    }

    /// Returns the model's reply in the given turn.
    pub fn reply(&self, turn: u32, language: Language) -> String {
        let last = match self {
            Self::Loop { iterations } => turn >= *iterations,
            Self::Tree { .. } | Self::Hold => turn >= 2,
            Self::Delay { .. } => true,
        };
        let (fence, code) = match (language, last) {
            (Language::Eval, true) => ("javascript", "return(\"42\");".to_owned()),
            (Language::Eval, false) => ("javascript", self.step()),
            (Language::Rllm, true) => ("repl", "giveFinalAnswer({ message: \"42\" });".to_owned()),
            (Language::Rllm, false) => ("repl", "print(context.length);".to_owned()),
            (Language::Rlms, true) => (
                "repl",
                "answer[\"content\"] = \"42\"\nanswer[\"ready\"] = True".to_owned(),
            ),
            (Language::Rlms, false) => ("repl", "print(len(context))".to_owned()),
        };
        format!("{PREFACE}\n\n```{fence}\n{code}\n```\n")
    }

    fn step(&self) -> String {
        match self {
            Self::Tree { widths } if !widths.is_empty() => {
                let below = Self::Tree {
                    widths: widths[1..].to_vec(),
                };
                format!(
                    "const answers = await Promise.all(Array.from({{ length: {} }}, (_, i) => rlm(\"{} \" + i, context)));\n\
                     console.log(answers.length, \"answers\");",
                    widths[0],
                    below.text(),
                )
            }
            _ => "const size = context.length;\nconsole.log(size, \"characters\");".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Plan;

    #[test]
    fn plan_survives_round_trip_through_query() {
        let plans = [
            Plan::Loop { iterations: 20 },
            Plan::Hold,
            Plan::Delay { milliseconds: 1000 },
            Plan::Tree { widths: vec![8, 8] },
            Plan::Tree { widths: Vec::new() },
        ];
        for plan in plans {
            let content = json!(format!("Task: {} go", plan.text()));
            assert_eq!(Plan::find([&json!("system"), &content].into_iter()), plan);
        }
    }
}
