//! The user messages of single protocols: passages that were found, pieces that are read, and what a program returned.

use super::Position;
use super::sections::{
    TURN_PROGRAM_NONE, TURN_PROGRAM_RETURNED, TURN_PROGRAM_RUN, TURN_RETRIEVE,
    TURN_RETRIEVE_PASSAGE, TURN_SUMMARY_ANSWER, TURN_SUMMARY_PIECE,
};

/// A passage of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage<'a> {
    /// Its place among the passages, from 1.
    pub number: usize,
    /// Characters of the context before it.
    pub from: usize,
    /// Characters of the context up to its end.
    pub to: usize,
    /// Its text.
    pub text: &'a str,
}

/// A question with the passages that were found for it, of so many in a context of so many characters.
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

/// One piece of a context, by its number and how many there are, with the notes so far; new ones may have `limit` characters.
pub fn summary_piece_message(
    query: &str,
    notes: &str,
    [number, pieces]: [usize; 2],
    piece: &str,
    limit: u32,
) -> String {
    TURN_SUMMARY_PIECE.render([
        &limit.to_string(),
        notes,
        &number.to_string(),
        piece,
        &pieces.to_string(),
        query,
    ])
}

/// A question that is to be answered from notes about a context of so many pieces.
pub fn summary_answer_message(query: &str, notes: &str, pieces: usize) -> String {
    TURN_SUMMARY_ANSWER.render([notes, &pieces.to_string(), query])
}

/// What a program returned and printed, to be accepted or mended.
pub fn program_returned_message(returned: &str, output: &str, next: Position) -> String {
    let (run, runs) = (next.iteration - 1, next.iterations);
    let run = TURN_PROGRAM_RUN.render([&run.to_string(), &runs.to_string()]);
    TURN_PROGRAM_RETURNED.render([output, returned, &run])
}

/// The answer to a response without a program where none has returned anything.
pub fn program_none_message(next: Position) -> String {
    TURN_PROGRAM_NONE.render([&next.text()])
}
