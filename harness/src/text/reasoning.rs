//! Separates the answer from reasoning that a server left in the text.
//!
//! Servers that do not parse reasoning leave the tags of the model's template in the text. Code
//! between these tags must not run.

/// Opening and closing tags of reasoning, by model family.
const TAGS: [(&str, &str); 9] = [
    ("<think>", "</think>"), // DeepSeek, Qwen, GLM and most others
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"), // Gemini, Gemma
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"), // Seed-OSS
    ("[THINK]", "[/THINK]"),           // Magistral
    ("◁think▷", "◁/think▷"),           // Kimi
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];

/// Tag before the name of a channel in `OpenAI`'s harmony format.
const CHANNEL: &str = "<|channel|>";
/// Tag between the header of a message and its content.
const MESSAGE: &str = "<|message|>";
/// Name of the channel for messages to the user.
const FINAL: &str = "final";
/// Tags that end a message.
const ENDS: [&str; 3] = ["<|return|>", "<|end|>", "<|call|>"];
/// Tag before the role, which begins the header of a message.
const START: &str = "<|start|>";

/// A text that begins with reasoning.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reasoning<'a> {
    /// Reasoning without tags.
    pub reasoning: &'a str,
    /// Text after the reasoning; `None` if the reasoning has not ended.
    pub rest: Option<&'a str>,
}

/// Separates the reasoning at the beginning of a text. Returns `None` if the text does not begin
/// with reasoning.
///
/// Tags may be nested. Ignores tags between backticks or quotes, which the model only mentions.
pub(crate) fn split_reasoning(text: &str) -> Option<Reasoning<'_>> {
    let text = text.trim_start();
    channels(text).or_else(|| {
        let (open, close) = TAGS.into_iter().find(|(open, _)| text.starts_with(open))?;
        Some(tagged(&text[open.len()..], open, close))
    })
}

/// Splits the text after an opening tag. Further closing tags without an opening tag extend the
/// reasoning.
fn tagged<'a>(text: &'a str, open: &str, close: &str) -> Reasoning<'a> {
    let mut depth = 1_usize;
    let mut end = None;
    let mut at = 0;
    while at < text.len() {
        let here = &text[at..];
        let tag = [open, close].into_iter().find(|tag| here.starts_with(tag));
        let Some(tag) = tag else {
            at += here.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let behind = at + tag.len();
        if !is_mention(&text[..at], &text[behind..]) {
            if tag == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    end = Some((at, behind));
                }
            } else if depth == 0 {
                // The rest is the answer, which may begin with more reasoning.
                break;
            } else {
                depth += 1;
            }
        }
        at = behind;
    }
    match end {
        Some((end, behind)) => Reasoning {
            reasoning: text[..end].trim(),
            rest: Some(text[behind..].trim_start()),
        },
        None => Reasoning {
            reasoning: text.trim(),
            rest: None,
        },
    }
}

/// Whether a tag is between quotes or backticks.
fn is_mention(before: &str, behind: &str) -> bool {
    let is_quote = |c: char| matches!(c, '`' | '"' | '\'' | '“' | '”' | '‘' | '’' | '/');
    before.ends_with(is_quote) && behind.starts_with(is_quote)
}

/// Splits messages in harmony format. The message in the channel `final` is the answer; all
/// messages before it are reasoning.
fn channels(text: &str) -> Option<Reasoning<'_>> {
    let head = text.strip_prefix(START).map_or(text, |head| {
        head.trim_start_matches(|c: char| c.is_ascii_alphabetic())
    });
    if !head.starts_with(CHANNEL) {
        return None;
    }
    let mut before = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(CHANNEL) {
        let name = at + found + CHANNEL.len();
        let Some(length) = text[name..].find(MESSAGE) else {
            break;
        };
        let begins = name + length + MESSAGE.len();
        if text[name..name + length].trim() == FINAL {
            let rest = text[begins..].trim();
            let rest = ENDS
                .iter()
                .find_map(|end| rest.strip_suffix(end))
                .unwrap_or(rest);
            return Some(Reasoning {
                reasoning: unmarked(&text[before..at + found]),
                rest: Some(rest.trim()),
            });
        }
        if before == 0 {
            before = begins;
        }
        at = begins;
    }
    Some(Reasoning {
        reasoning: unmarked(&text[before..]),
        rest: None,
    })
}

/// Removes the tags at the end of reasoning.
fn unmarked(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_suffix("assistant").unwrap_or(text);
    let text = text.strip_suffix(START).unwrap_or(text);
    let ends = |text: &str| ENDS.iter().any(|end| text.ends_with(end));
    if ends(text) {
        text.rfind("<|").map_or(text, |at| text[..at].trim())
    } else {
        text.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::split_reasoning;

    #[test]
    fn separates_reasoning_from_answer() {
        let rows = [
            ("<think>a</think>b", "a", Some("b")),
            (" <think>\na\n</think>\n\nb", "a", Some("b")),
            (
                "<think>a <think>x</think> c</think> b",
                "a <think>x</think> c",
                Some("b"),
            ),
            (
                "<think>the tag `</think>` ends it\n</think>b",
                "the tag `</think>` ends it",
                Some("b"),
            ),
            ("<think>a</think> c </think>b", "a</think> c", Some("b")),
            (
                "<think>a</think>b <think>c</think>",
                "a",
                Some("b <think>c</think>"),
            ),
            (
                "<think>a</think>say \"</think>\"",
                "a",
                Some("say \"</think>\""),
            ),
            ("[THINK]a[/THINK]b", "a", Some("b")),
            ("<reasoning>a</reasoning>b", "a", Some("b")),
            ("◁think▷ä◁/think▷b", "ä", Some("b")),
            ("<think>a", "a", None),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
                "a",
                Some("b"),
            ),
            (
                "<|start|>assistant<|channel|>final<|message|>b",
                "",
                Some("b"),
            ),
            ("<|channel|>analysis<|message|>a", "a", None),
        ];
        for (text, reasoning, rest) in rows {
            let got = split_reasoning(text).unwrap();
            assert_eq!((got.reasoning, got.rest), (reasoning, rest), "{text}");
        }
        for text in ["a <think>b</think>", "", "<thin", "`<think>` is a tag"] {
            assert_eq!(split_reasoning(text), None, "{text}");
        }
    }
}
