//! User messages of specific protocols: retrieved passages, pieces to read, and results of
//! programs.

use super::Position;
use super::sections::{
    TURN_PROGRAM_NONE, TURN_PROGRAM_RETURNED, TURN_PROGRAM_RUN, TURN_RETRIEVE,
    TURN_RETRIEVE_PASSAGE, TURN_SUMMARY_ANSWER, TURN_SUMMARY_PIECE,
};
use crate::text::fence_mark;

/// A passage of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage<'a> {
    /// Position among the passages of the context, 1-based.
    pub number: usize,
    /// Character offset of its start in the context.
    pub from: usize,
    /// Character offset of its end in the context, exclusive.
    pub to: usize,
    /// Text of the passage.
    pub text: &'a str,
}

/// Returns a question with the passages found for it. `passages` and `length` are the numbers of
/// passages and characters in the whole context.
pub fn passages_message(
    query: &str,
    found: &[Passage<'_>],
    passages: usize,
    length: usize,
) -> String {
    let shown = found.len().to_string();
    let found: Vec<String> = found
        .iter()
        .map(|passage| {
            TURN_RETRIEVE_PASSAGE.render([
                &passage.from.to_string(),
                &fence_mark(&[passage.text]),
                &passage.number.to_string(),
                passage.text,
                &passage.to.to_string(),
            ])
        })
        .collect();
    let found = found.join("\n\n");
    let (length, passages) = (length.to_string(), passages.to_string());
    TURN_RETRIEVE.render([&found, &length, &passages, query, &shown])
}

/// Returns the request for new notes, with the notes so far and piece `number` of `pieces` of the
/// context. The new notes may have up to `limit` characters.
pub fn summary_piece_message(
    query: &str,
    notes: &str,
    [number, pieces]: [usize; 2],
    piece: &str,
    limit: u32,
) -> String {
    TURN_SUMMARY_PIECE.render([
        &limit.to_string(),
        &fence_mark(&[notes, piece]),
        notes,
        &number.to_string(),
        piece,
        &pieces.to_string(),
        query,
    ])
}

/// Returns a question with the notes from which to answer it. `pieces` is the number of pieces of
/// the context.
pub fn summary_answer_message(query: &str, notes: &str, pieces: usize) -> String {
    TURN_SUMMARY_ANSWER.render([&fence_mark(&[notes]), notes, &pieces.to_string(), query])
}

/// Returns the message with the result and output of a program, which the model accepts or
/// corrects.
pub fn program_returned_message(returned: &str, output: &str, next: Position) -> String {
    let (run, runs) = (next.iteration - 1, next.iterations);
    let run = TURN_PROGRAM_RUN.render([&run.to_string(), &runs.to_string()]);
    TURN_PROGRAM_RETURNED.render([&fence_mark(&[output, returned]), output, returned, &run])
}

/// Returns the reply to a response without a program if no program has returned yet.
pub fn program_none_message(next: Position) -> String {
    TURN_PROGRAM_NONE.render([&next.text()])
}
