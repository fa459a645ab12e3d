//! User messages of an agent's conversation. All text that changes from turn to turn belongs here,
//! not in the system prompt.

use std::collections::BTreeSet;

use super::sections::{
    CONTEXT_LEFT_OUT, CONTEXT_NONE, CONTEXT_TEXT, CONTEXT_VALUE, IMAGE_LEFT_OUT, NOTE_DROPPED,
    NOTE_ERROR, NOTE_RETURN_IN_FUNCTION, NOTE_UNAWAITED, OUTPUT_LEFT_OUT, PAST_CALL, PAST_RESULT,
    TURN_CUT_OFF, TURN_FIRST, TURN_FLAT, TURN_FOREIGN_CODE, TURN_LAST, TURN_MESSAGE,
    TURN_NEXT_MESSAGE, TURN_NO_CALL, TURN_NO_CODE, TURN_POSITION, TURN_RESULT, TURN_RETURNED_EARLY,
    WEB_REFUSED,
};
use crate::text::fence_mark;

/// An agent's next iteration and its maximum iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Number of the next iteration, 1-based.
    pub iteration: u32,
    /// Maximum iterations of the agent.
    pub iterations: u32,
}

impl Position {
    /// Returns the part of a message that states the position.
    pub(crate) fn text(self) -> String {
        let iterations = self.iterations.to_string();
        if self.iteration >= self.iterations {
            TURN_LAST.render([&iterations])
        } else {
            TURN_POSITION.render([&self.iteration.to_string(), &iterations])
        }
    }
}

/// Kind of an agent's `context`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextKind {
    /// No context.
    None,
    /// A string of this length in UTF-16 units, as in `context.length`.
    Text(u64),
    /// A value of another type, with its `typeof`.
    Value(String),
}

/// Result of a cell, as reported to its agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellReport<'a> {
    /// Output of the cell.
    pub output: &'a str,
    /// Error message of the failed cell, with its stack trace.
    pub error: Option<String>,
    /// Number of blocks in the response that were not run.
    pub dropped_blocks: u32,
    /// Number of unawaited calls, unless `error` reports them.
    pub unawaited: u32,
    /// Whether the cell had neither output nor a return value, although one of its functions
    /// contains `return(…)`.
    pub returns_in_function: bool,
}

/// Returns the first message of an agent with a REPL.
pub fn first_message(query: &str, context: &ContextKind, iterations: u32) -> String {
    let context = match context {
        ContextKind::None => CONTEXT_NONE.render([]),
        ContextKind::Text(length) => CONTEXT_TEXT.render([&length.to_string()]),
        ContextKind::Value(kind) => CONTEXT_VALUE.render([kind]),
    };
    TURN_FIRST.render([&context, &iterations.to_string(), query])
}

/// Returns the only message to an agent that answers in one call.
pub fn flat_message(query: &str, context: &str) -> String {
    if context.is_empty() {
        query.to_owned()
    } else {
        TURN_FLAT.render([context, &fence_mark(&[context]), query])
    }
}

/// Returns the message with the output and the problems of a cell.
pub fn result_message(report: &CellReport<'_>, next: Position) -> String {
    let mut notes = Vec::new();
    if let Some(error) = &report.error {
        notes.push(NOTE_ERROR.render([error, &fence_mark(&[error])]));
    }
    if report.unawaited > 0 {
        notes.push(NOTE_UNAWAITED.render([&report.unawaited.to_string()]));
    }
    if report.returns_in_function && report.error.is_none() {
        notes.push(NOTE_RETURN_IN_FUNCTION.render([]));
    }
    if report.dropped_blocks > 0 {
        notes.push(NOTE_DROPPED.render([&report.dropped_blocks.to_string()]));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("{}\n", notes.join("\n"))
    };
    TURN_RESULT.render([
        &fence_mark(&[report.output]),
        &notes,
        report.output,
        &next.text(),
    ])
}

/// Returns the reply to a response without code, which explains how to write code.
///
/// `mark` is the language tag of a fenced block in a language that agents cannot run, if the
/// response has one.
pub fn no_code_message(next: Position, code_via_tool: bool, mark: Option<&str>) -> String {
    match mark {
        _ if code_via_tool => TURN_NO_CALL.render([&next.text()]),
        Some(mark) => TURN_FOREIGN_CODE.render([mark, &next.text()]),
        None => TURN_NO_CODE.render([&next.text()]),
    }
}

/// Returns the reply to a response that was truncated at the limit of output tokens.
pub fn cut_off_message(next: Position) -> String {
    TURN_CUT_OFF.render([&next.text()])
}

/// Formats a tool call as text, for a conversation that continues without the tool.
pub fn past_call(name: &str, arguments: &str) -> String {
    PAST_CALL.render([arguments, name])
}

/// Formats a tool's result as text, for a conversation that continues without the tool.
pub fn past_result(content: &str) -> String {
    PAST_RESULT.render([content])
}

/// Returns the message that asks the model to review a value that its code returned in the first
/// iteration.
pub fn returned_early_message(returned: &str, next: Position) -> String {
    TURN_RETURNED_EARLY.render([&fence_mark(&[returned]), &next.text(), returned])
}

/// Returns the message with the user's follow-up to an answer.
pub fn next_message(query: &str, next: Position) -> String {
    TURN_NEXT_MESSAGE.render([&next.text(), query])
}

/// Returns the message with the caller's next message to an instance with a REPL.
pub fn message_to_instance(query: &str, next: Position) -> String {
    TURN_MESSAGE.render([&next.text(), query])
}

/// Like [`flat_message`], but shows only `shown` characters of the context: half from its beginning
/// and half from its end, with a note about the omitted part.
pub fn cut_message(query: &str, context: &str, shown: usize) -> String {
    let chars = context.chars().count();
    let place = |index: usize| {
        let found = context.char_indices().nth(index);
        found.map_or(context.len(), |(place, _)| place)
    };
    let (head, tail) = (
        place(shown / 2),
        place(chars - shown.div_ceil(2).min(chars)),
    );
    let left_out = CONTEXT_LEFT_OUT.render([&chars.saturating_sub(shown).to_string()]);
    let cut = format!("{}\n{left_out}\n{}", &context[..head], &context[tail..]);
    flat_message(query, &cut)
}

/// Returns the placeholder for an output of `chars` characters that no longer fits into the model's
/// context window.
pub fn output_left_out(chars: u64) -> String {
    OUTPUT_LEFT_OUT.render([&chars.to_string()])
}

/// Returns the placeholder for an omitted image of an older message.
pub(crate) fn image_left_out(media_type: &str, bytes: u64) -> String {
    IMAGE_LEFT_OUT.render([&bytes.to_string(), media_type])
}

/// Returns a note about blocked addresses, without duplicates and limited in number.
pub(crate) fn blocked_addresses(addresses: &[String]) -> String {
    const MOST: usize = 10;
    const LONGEST: usize = 200;
    let different: BTreeSet<&String> = addresses.iter().collect();
    let mut lines: Vec<String> = different
        .iter()
        .take(MOST)
        .map(|address| format!("- {}", address.chars().take(LONGEST).collect::<String>()))
        .collect();
    if different.len() > MOST {
        lines.push(format!("- and {} more", different.len() - MOST));
    }
    WEB_REFUSED.render([&lines.join("\n")])
}
