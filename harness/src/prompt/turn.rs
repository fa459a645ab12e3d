//! The user messages of an agent's conversation. What changes from turn to turn stands here, never in the
//! system prompt.

use super::sections::{
    CALL_NOT_RUN, CONTEXT_LEFT_OUT, CONTEXT_NONE, CONTEXT_TEXT, CONTEXT_VALUE, EXECUTE_CODE,
    EXECUTE_CODE_ARGUMENT, NOTE_DROPPED, NOTE_ERROR, NOTE_UNAWAITED, OUTPUT_LEFT_OUT, PAST_CALL,
    PAST_RESULT, TURN_CUT_OFF, TURN_FIRST, TURN_FLAT, TURN_LAST, TURN_MESSAGE, TURN_NEXT_MESSAGE,
    TURN_NO_CALL, TURN_NO_CODE, TURN_POSITION, TURN_RESULT, TURN_RETURNED_EARLY, UNTRUSTED,
};

/// Which iteration a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// 1-based.
    pub iteration: u32,
    /// Iterations that the agent has.
    pub iterations: u32,
}

impl Position {
    /// What a message says of it.
    pub(super) fn text(self) -> String {
        let iterations = self.iterations.to_string();
        if self.iteration >= self.iterations {
            TURN_LAST.render([&iterations])
        } else {
            TURN_POSITION.render([&self.iteration.to_string(), &iterations])
        }
    }
}

/// What an agent's `context` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextKind {
    /// There is none.
    None,
    /// A string of that many characters (UTF-16 units, as `context.length` says).
    Text(u64),
    /// Another value, with its `typeof`.
    Value(String),
}

/// What a cell did, as it is reported to its agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellReport<'a> {
    /// What it printed.
    pub output: &'a str,
    /// Why it failed, with its stack.
    pub error: Option<String>,
    /// Blocks of the response that were not run.
    pub dropped_blocks: u32,
    /// Calls that were not awaited and that the error does not mention.
    pub unawaited: u32,
}

/// The first message of an agent with a REPL.
pub fn first_message(query: &str, context: &ContextKind, iterations: u32) -> String {
    let context = match context {
        ContextKind::None => CONTEXT_NONE.render([]),
        ContextKind::Text(length) => CONTEXT_TEXT.render([&length.to_string()]),
        ContextKind::Value(kind) => CONTEXT_VALUE.render([kind]),
    };
    TURN_FIRST.render([&context, &iterations.to_string(), query])
}

/// The only message of an agent that answers in one call.
pub fn flat_message(query: &str, context: &str) -> String {
    if context.is_empty() {
        query.to_owned()
    } else {
        TURN_FLAT.render([context, query])
    }
}

/// What a cell printed, and what went wrong in it.
pub fn result_message(report: &CellReport<'_>, next: Position) -> String {
    let mut notes = Vec::new();
    if let Some(error) = &report.error {
        notes.push(NOTE_ERROR.render([error]));
    }
    if report.unawaited > 0 {
        notes.push(NOTE_UNAWAITED.render([&report.unawaited.to_string()]));
    }
    if report.dropped_blocks > 0 {
        notes.push(NOTE_DROPPED.render([&report.dropped_blocks.to_string()]));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("{}\n", notes.join("\n"))
    };
    TURN_RESULT.render([&notes, report.output, &next.text()])
}

/// The answer to a response without code, which was to come in a fenced block or by a tool call.
pub fn no_code_message(next: Position, code_via_tool: bool) -> String {
    if code_via_tool {
        TURN_NO_CALL.render([&next.text()])
    } else {
        TURN_NO_CODE.render([&next.text()])
    }
}

/// The answer to a response that the limit of output tokens cut off.
pub fn cut_off_message(next: Position) -> String {
    TURN_CUT_OFF.render([&next.text()])
}

/// The description of the tool that takes code.
pub fn execute_code_description() -> String {
    EXECUTE_CODE.render([])
}

/// The description of that tool's argument.
pub fn execute_code_argument() -> String {
    EXECUTE_CODE_ARGUMENT.render([])
}

/// The result of a call that was not run because its response had one before it.
pub fn call_not_run() -> String {
    CALL_NOT_RUN.render([])
}

/// A tool call as text, for a conversation that goes on without the tool.
pub fn past_call(name: &str, arguments: &str) -> String {
    PAST_CALL.render([arguments, name])
}

/// A tool's result as text, likewise.
pub fn past_result(content: &str) -> String {
    PAST_RESULT.render([content])
}

/// A return of the first iteration, shown back.
pub fn returned_early_message(returned: &str, next: Position) -> String {
    TURN_RETURNED_EARLY.render([&next.text(), returned])
}

/// What the user says after an answer.
pub fn next_message(query: &str, next: Position) -> String {
    TURN_NEXT_MESSAGE.render([&next.text(), query])
}

/// The next message of its caller to an agent with a REPL that takes several.
pub fn message_to_instance(query: &str, next: Position) -> String {
    TURN_MESSAGE.render([&next.text(), query])
}

/// The same for a context of which only so many characters are shown, the beginning and the end, with what is left out
/// stated between them.
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

/// What stands in a conversation for an output of `chars` characters that no longer fits into the model's context.
pub fn output_left_out(chars: u64) -> String {
    OUTPUT_LEFT_OUT.render([&chars.to_string()])
}

/// A text from outside between two lines with a boundary.
pub(crate) fn untrusted_text(label: &str, boundary: &str, text: &str) -> String {
    UNTRUSTED.render([boundary, label, text])
}
