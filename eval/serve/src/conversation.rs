//! Splits a conversation into the agent's query and context, by the same rule for both interfaces.
//! `docs/guides/serve.md` documents the rule for users.

use super::agents::Question;
use super::error::ApiError;
use super::request::Extension;
use super::turn::{Piece, Speaker, Turn};

/// Default maximum characters of a text in the query; a longer text is moved to the context.
pub const DEFAULT_LONG_TEXT: usize = 16_000;

/// Number of characters at each end of a long text that stay in the query.
const SHOWN: usize = 2_000;

/// Converts the messages of a conversation to a question. `long` is the maximum characters of a
/// text in the query. `param` is the request field with the messages, which errors name.
pub(crate) fn question(
    turns: Vec<Turn>,
    extension: Extension,
    long: usize,
    param: &str,
) -> Result<Question, ApiError> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut images = Vec::new();
    let mut instructions = Vec::new();
    let mut earlier = Vec::new();
    let mut last = None;
    let count = turns.len();
    for (place, turn) in turns.into_iter().enumerate() {
        pieces.extend(turn.files);
        let is_last = place + 1 == count;
        match turn.speaker {
            Speaker::Instructions => instructions.push(turn.text),
            Speaker::User if is_last => {
                last = Some(turn.text);
                images = turn.images;
                continue;
            }
            speaker => earlier.push(format!("{}: {}", speaker.word(), turn.text)),
        }
        if !turn.images.is_empty() {
            return Err(ApiError::unsupported(
                param,
                "only the last message may have images",
            ));
        }
    }
    let Extension {
        query,
        context,
        files,
        limits,
        ..
    } = extension;
    let query = if let Some(query) = query {
        query
    } else {
        let Some(last) = last else {
            return Err(ApiError::invalid(
                param,
                "the last message must be from the user, because it is the agent's task",
            ));
        };
        let mut parts = Vec::new();
        let instructions = instructions.join("\n\n");
        if !instructions.trim().is_empty() {
            parts.push(shorten(instructions, "instructions.txt", long, &mut pieces));
        }
        let earlier = earlier.join("\n\n");
        if earlier.chars().count() > long {
            let name = unused("conversation.txt", &pieces);
            parts.push(format!(
                "The earlier messages of this conversation are in `context`, as {name}."
            ));
            let text = earlier;
            pieces.insert(0, Piece { name, text });
        } else if !earlier.is_empty() {
            parts.push(format!(
                "The earlier messages of this conversation:\n\n{earlier}\n\nThe message to answer:"
            ));
        }
        parts.push(shorten(last, "message.txt", long, &mut pieces));
        parts.join("\n\n")
    };
    if query.trim().is_empty() {
        return Err(ApiError::invalid(param, "the question is blank"));
    }
    pieces.extend(files);
    Ok(Question {
        query: query.trim().to_owned(),
        context: context.unwrap_or_else(|| joined(pieces)),
        images,
        limits,
    })
}

/// Returns a short text unchanged. For a long text, returns its beginning and end, and adds the
/// whole text to the context.
fn shorten(text: String, name: &str, long: usize, pieces: &mut Vec<Piece>) -> String {
    let chars = text.chars().count();
    if chars <= long {
        return text;
    }
    let shown = SHOWN.min(long / 2);
    let start: String = text.chars().take(shown).collect();
    let end: String = text.chars().skip(chars - shown).collect();
    let name = unused(name, pieces);
    let left_out = chars - 2 * shown;
    let short = format!(
        "{start}\n[… {left_out} characters are left out here: `context` holds the whole text, as {name} …]\n{end}"
    );
    pieces.push(Piece { name, text });
    short
}

/// Returns the name, with a number before its extension if the name is already used.
fn unused(name: &str, pieces: &[Piece]) -> String {
    let is_free = |name: &str| !pieces.iter().any(|piece| piece.name == name);
    if is_free(name) {
        return name.to_owned();
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut numbered = (2..).map(|number| format!("{stem}-{number}.{ending}"));
    numbered.find(|name| is_free(name)).unwrap_or_default()
}

/// Returns a single text unchanged, or joins several as `--context-dir` joins the files of a
/// folder.
fn joined(pieces: Vec<Piece>) -> String {
    let mut pieces = pieces;
    if pieces.len() == 1 {
        return pieces.remove(0).text;
    }
    with_headings(pieces.into_iter().map(|piece| (piece.name, piece.text)))
}

/// Joins named texts as `--context-dir` joins the files of a folder: each after a line
/// `==> NAME <==`.
pub fn with_headings(texts: impl IntoIterator<Item = (String, String)>) -> String {
    let mut joined = String::new();
    for (name, text) in texts {
        if !joined.is_empty() {
            joined.push('\n');
        }
        // Make sure that the client's file name has only one line.
        let name: String = name
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        joined += &format!("==> {name} <==\n{text}");
        if !joined.ends_with('\n') {
            joined.push('\n');
        }
    }
    joined
}
