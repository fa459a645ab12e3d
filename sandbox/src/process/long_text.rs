//! Splits a long context into pieces on its way to a worker, so that neither side stores it twice.

use std::sync::Arc;

use super::ToWorker;
use crate::message::{Context, Request};

/// Maximum bytes of a piece. A longer context is sent in pieces after its request.
const PIECE: usize = 256 << 10;

/// Maximum bytes of a text that the engine accepts.
const LONGEST: usize = (1 << 30) - 1;

/// Takes a context that is longer than a piece out of its request. Returns the message to send
/// first and the text to send after it, which is empty for other requests. `None` if the text is
/// too long for the engine.
pub(super) fn part(mut request: Request) -> Option<(ToWorker, Arc<String>)> {
    let text = match &mut request {
        Request::Open {
            context: Context::Text(text),
            ..
        } if text.len() > PIECE => std::mem::take(text),
        _ => Arc::default(),
    };
    if text.len() > LONGEST {
        return None;
    }
    let down = ToWorker {
        request,
        pieces: u32::try_from(pieces(&text).count()).unwrap_or(u32::MAX),
        bytes: text.len() as u64,
    };
    Some((down, text))
}

/// Splits the text into pieces of at most [`PIECE`] bytes.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{PIECE, pieces};

    #[test]
    fn pieces_join_to_the_text() {
        for text in ["", "short", &"x".repeat(PIECE), &"aż😀".repeat(PIECE)] {
            let parted: Vec<&str> = pieces(text).collect();
            assert!(parted.iter().all(|piece| piece.len() <= PIECE));
            assert_eq!(parted.concat(), text);
        }
    }
}
