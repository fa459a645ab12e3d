//! The summary protocol: an agent reads the context in pieces, takes notes, and answers from the
//! notes.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;

use crate::agent::{
    AgentBehavior, Attempt, CORRECTIONS, Conversation, Failure, Invocation, ModelReply, NextStep,
    Turn, run_turns,
};
use crate::model::Message;
use crate::prompt::flat_message;
use crate::prompt::sections::{TURN_SUMMARY_ANSWER, TURN_SUMMARY_PIECE};
use crate::protocol::ProtocolBehavior;
use crate::settings::ProtocolSettings;
use crate::text::{fence_mark, parts, truncate_middle};

/// Summary protocol. Its root reads the context one piece at a time.
pub(super) struct Summary;

#[async_trait]
impl ProtocolBehavior for Summary {
    fn settings(&self, of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings {
            piece_chars: of_run.piece_chars,
            notes_chars: of_run.notes_chars,
            ..ProtocolSettings::default()
        }
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        Reader::new(attempt, root).open(conversation);
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        let mut reader = Reader::new(attempt, root);
        run_turns(attempt, &reader.root.clone(), &mut reader).await
    }
}

/// State of the running root.
struct Reader<'a> {
    attempt: &'a Attempt<'a>,
    /// Root with one iteration for each piece, one for the answer, and [`CORRECTIONS`] if the
    /// answer has a schema.
    root: Invocation,
    context: Arc<String>,
    /// Byte ranges of the pieces in the context.
    pieces: Vec<Range<usize>>,
    /// Index of the current piece; equal to the number of pieces when the model must answer.
    at: usize,
    notes: String,
}

impl<'a> Reader<'a> {
    fn new(attempt: &'a Attempt<'a>, root: &Invocation) -> Self {
        let context = Arc::clone(&attempt.task.context);
        let settings = attempt.run.treatment.protocols;
        let wanted = (context.chars().count()).div_ceil(settings.piece_chars as usize);
        // One iteration is reserved for the answer.
        let most = root.plan.iterations.saturating_sub(1) as usize;
        let pieces = parts(&context, wanted.min(most));
        let readings = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        let corrections = if root.schema.is_some() {
            CORRECTIONS
        } else {
            0
        };
        let iterations = if readings > 1 { readings + 1 } else { 1 };
        let mut root = root.clone();
        root.plan.iterations = iterations + corrections;
        Self {
            attempt,
            root,
            context,
            at: if readings > 1 { 0 } else { pieces.len() },
            pieces,
            notes: String::new(),
        }
    }

    fn reads(&self) -> bool {
        self.at < self.pieces.len()
    }

    /// Returns the next message for the model.
    fn message(&self) -> Message {
        let pieces = self.pieces.len();
        let Some(piece) = self.pieces.get(self.at) else {
            let asked = self.root.asked();
            return Message::user(if pieces > 1 {
                summary_answer_message(&asked, &self.notes, pieces)
            } else {
                flat_message(&asked, &self.context)
            });
        };
        Message::user(summary_piece_message(
            self.root.query(),
            &self.notes,
            [self.at + 1, pieces],
            &self.context[piece.clone()],
            self.attempt.run.treatment.protocols.notes_chars,
        ))
    }

    /// Replaces the notes with the text of a reply, unless it is blank. A blank or truncated reply
    /// counts as a protocol fault.
    fn take_notes(&mut self, reply: &ModelReply) {
        let text = reply.response.text.trim();
        if reply.truncated || text.is_empty() {
            self.attempt.records.count_fault();
        }
        if !text.is_empty() {
            let limit = self.attempt.run.treatment.protocols.notes_chars as usize;
            self.notes = truncate_middle(text, limit);
        }
    }
}

impl AgentBehavior for Reader<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        conversation.asks_for_answer = !self.reads();
        let message = self.message();
        conversation.push(self.attempt.with_images(&self.root, message));
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        _turn: Turn,
        conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        if !self.reads() {
            if reply.truncated {
                return Err(Failure::cut_off());
            }
            return Ok(NextStep::Answer(reply.response.text));
        }
        self.take_notes(&reply);
        self.at += 1;
        // The next request contains only the notes, not earlier messages.
        conversation.restart();
        self.open(conversation);
        Ok(NextStep::Continue)
    }
}

/// Returns the request for new notes, with the notes so far and piece `number` of `pieces` of the
/// context. The new notes may have up to `limit` characters.
fn summary_piece_message(
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
fn summary_answer_message(query: &str, notes: &str, pieces: usize) -> String {
    TURN_SUMMARY_ANSWER.render([&fence_mark(&[notes]), notes, &pieces.to_string(), query])
}

#[cfg(test)]
mod tests {
    use super::{fence_mark, summary_answer_message, summary_piece_message};

    #[test]
    fn marks_fences_that_text_imitates() {
        const TEXT: &str = "a\n</error>\nb";
        let rows = [
            (
                "notes",
                [TEXT, "p"].as_slice(),
                summary_piece_message("q", TEXT, [1, 2], "p", 9),
            ),
            (
                "piece",
                &["n", TEXT],
                summary_piece_message("q", "n", [1, 2], TEXT, 9),
            ),
            ("notes", &[TEXT], summary_answer_message("q", TEXT, 2)),
        ];
        for (tag, texts, message) in rows {
            let end = format!("</{tag}{}>", fence_mark(texts));
            assert!(end.contains(' ') && message.contains(&end), "{message}");
        }
    }
}
