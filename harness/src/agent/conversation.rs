//! Conversation with a model, and the parts of it that can be omitted if it becomes too long.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use sandbox::Lister;

use crate::journal::Digests;
use crate::model::{Message, MessageRole, ToolUse, Usage};
use crate::prompt::{cut_message, image_left_out};
use crate::provider::http::{IMAGE_TOKENS, estimate_tokens, tool_tokens};

#[derive(Default)]
pub(crate) struct Conversation {
    /// System prompt, which is the same in every request.
    pub system: String,
    /// Tools that the requests offer.
    pub tools: ToolUse,
    /// Messages, oldest first, shared with the requests.
    messages: Vec<Arc<Message>>,
    outputs: Vec<Output>,
    /// Message added to the end of the next request. Later requests omit it.
    pub tail: Option<Message>,
    cuttable: Option<Cuttable>,
    recorded: usize,
    /// Whether the next response should be the agent's answer. False for intermediate responses,
    /// such as notes.
    pub asks_for_answer: bool,
    /// Number of requests so far.
    pub turn: u32,
    /// Number of times that the conversation was shortened in this turn.
    pub trims: u32,
    /// Number of summaries requested.
    pub compactions: u32,
    /// Whether the last request was rejected as too long and nothing could be shortened.
    pub overflowed: bool,
    /// Lists the variables of an agent with a REPL.
    pub lister: Option<Lister>,
    /// Number of messages before the first response. These messages never change.
    opening: Option<usize>,
    /// Digests of the messages, for the journal.
    pub digests: Digests,
    /// Token count reported by the model, and the number of messages that it covers.
    counted: Option<(u64, usize)>,
}

/// First message, whose context may be cut.
struct Cuttable {
    query: String,
    context: Arc<String>,
    /// Characters of the context that are still shown.
    shown: usize,
}

/// Message with a cell's output that may be omitted.
struct Output {
    message: usize,
    /// The message without the output.
    stub: Arc<Message>,
    /// Characters of the output.
    chars: u64,
    left_out: bool,
}

/// Omitted parts of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Trimmed {
    /// Indices of the shortened messages.
    pub messages: Vec<u32>,
    /// Number of omitted characters.
    pub chars: u64,
    /// Range of characters that were cut from the context; the end is exclusive.
    pub cut: Option<[u64; 2]>,
}

impl Conversation {
    pub fn new(system: String) -> Self {
        Self {
            system,
            asks_for_answer: true,
            ..Self::default()
        }
    }

    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Removes all messages, without resetting the count of requests.
    pub fn restart(&mut self) {
        self.messages.clear();
        self.outputs.clear();
        self.recorded = 0;
        self.opening = None;
        self.counted = None;
    }

    /// Counts the next request and resets the state of the previous one.
    pub fn next_turn(&mut self) {
        self.turn += 1;
        self.trims = 0;
        self.overflowed = false;
        self.opening.get_or_insert(self.messages.len());
    }

    /// Records the token count that the model reported with its newest response.
    pub fn counted(&mut self, usage: Option<Usage>) {
        // Reasoning is not part of later requests.
        self.counted = usage.map(|usage| {
            let output = usage.output_tokens.saturating_sub(usage.reasoning_tokens);
            (usage.input_tokens + output, self.messages.len())
        });
    }

    /// Returns the number of tokens of the conversation: the model's count, plus an estimate for
    /// later messages.
    pub fn tokens(&self) -> u64 {
        let (counted, messages) = self.counted.unwrap_or_else(|| {
            let tools = self.tools.specs.iter().map(tool_tokens);
            (estimate_tokens(&self.system) + tools.sum::<u64>(), 0)
        });
        let since = self.messages[messages.min(self.messages.len())..].iter();
        let since: u64 = since.map(|message| tokens_of(message)).sum();
        counted + since + self.tail.as_ref().map_or(0, tokens_of)
    }

    /// Returns the range of messages between the opening and the `keep` newest turns. The range
    /// begins with a response, and the result of every tool call in the range is also in the range.
    /// Returns `None` if the range is empty or contains only an earlier summary.
    pub fn older_turns(&self, keep: usize) -> Option<Range<usize>> {
        let opening = self.opening?;
        let is_response = |place: &usize| self.messages[*place].role == MessageRole::Assistant;
        let starts: Vec<usize> = (opening..self.messages.len()).filter(is_response).collect();
        let least = 1 + usize::from(self.compactions > 0);
        let mut ends = starts.len().saturating_sub(keep);
        while ends >= least {
            let turns = opening..*starts.get(ends).unwrap_or(&self.messages.len());
            if self.calls_are_answered(&turns) {
                return Some(turns);
            }
            ends -= 1;
        }
        None
    }

    fn calls_are_answered(&self, turns: &Range<usize>) -> bool {
        let mut open: Vec<&str> = Vec::new();
        for message in &self.messages[turns.clone()] {
            let answered = |call: &&str| {
                let mut results = message.tool_results.iter();
                !results.any(|result| result.call == **call)
            };
            open.retain(answered);
            open.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
        }
        open.is_empty()
    }

    /// Replaces older messages with `instead`, which counts as recorded.
    pub fn replace<const N: usize>(&mut self, older: Range<usize>, instead: [Message; N]) {
        let shifted = |place: usize| place - older.len() + N;
        self.outputs.retain_mut(|output| {
            if output.message >= older.end {
                output.message = shifted(output.message);
            } else if output.message >= older.start {
                return false;
            }
            true
        });
        self.recorded = shifted(self.recorded.max(older.end));
        self.counted = None;
        self.messages.splice(older, instead.map(Arc::new));
    }

    /// Allows cutting the context in the first message. The message must contain this query and the
    /// whole context.
    pub fn may_cut(&mut self, query: &str, context: &Arc<String>) {
        self.cuttable = Some(Cuttable {
            query: query.to_owned(),
            context: Arc::clone(context),
            shown: context.chars().count(),
        });
    }

    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Adds a message that contains a cell's output of `chars` characters. `stub` is the message
    /// without the output.
    pub fn push_output(&mut self, message: Message, stub: Message, chars: u64) {
        if stub.all_text().len() < message.all_text().len() {
            self.outputs.push(Output {
                message: self.messages.len(),
                stub: Arc::new(stub),
                chars,
                left_out: false,
            });
        }
        self.messages.push(Arc::new(message));
    }

    /// Returns the unrecorded messages.
    pub fn new_messages_mut(&mut self) -> impl Iterator<Item = &mut Message> {
        self.messages[self.recorded..].iter_mut().map(Arc::make_mut)
    }

    pub fn message_mut(&mut self, place: usize) -> &mut Message {
        Arc::make_mut(&mut self.messages[place])
    }

    /// Returns the unrecorded messages and marks them as recorded.
    pub fn record_new(&mut self) -> Vec<Message> {
        let new = &self.messages[self.recorded..];
        let new = new.iter().map(|message| Message::clone(message)).collect();
        self.recorded = self.messages.len();
        new
    }

    /// Replaces the unrecorded messages and the tail with `recorded`, unless the number of messages
    /// or a role differs. The images are kept.
    pub fn replace_new(&mut self, recorded: Vec<Message>) {
        let now = self.messages[self.recorded..].iter().map(AsRef::as_ref);
        let now: Vec<&Message> = now.chain(self.tail.as_ref()).collect();
        let is_alike = now.len() == recorded.len()
            && now
                .iter()
                .zip(&recorded)
                .all(|(now, then)| now.role == then.role);
        if !is_alike {
            return;
        }
        let mut places = self.recorded..self.messages.len();
        for mut message in recorded {
            let place = places.next();
            let now = match place {
                Some(place) => Arc::make_mut(&mut self.messages[place]),
                None => match &mut self.tail {
                    Some(tail) => tail,
                    None => return,
                },
            };
            message.images = std::mem::take(&mut now.images);
            *now = message;
        }
    }

    /// Appends a note to the newest unrecorded user message, or else to the tail. Without either,
    /// adds a user message.
    pub fn add_note(&mut self, note: &str) {
        let add = |message: &mut Message| {
            if !message.content.is_empty() {
                message.content += "\n\n";
            }
            message.content += note;
        };
        let new = self.recorded..self.messages.len();
        let is_of_user = |place: &usize| self.messages[*place].role == MessageRole::User;
        let Some(place) = new.rev().find(is_of_user) else {
            match &mut self.tail {
                Some(tail) => add(tail),
                None => self.push(Message::user(note.to_owned())),
            }
            return;
        };
        add(Arc::make_mut(&mut self.messages[place]));
        let output = self.outputs.iter_mut().find(|one| one.message == place);
        if let Some(output) = output {
            add(Arc::make_mut(&mut output.stub));
        }
    }

    /// Returns the messages of the next request: the conversation and the tail.
    pub fn sent(&self) -> Vec<Arc<Message>> {
        let tail = self.tail.clone().map(Arc::new);
        self.messages.iter().cloned().chain(tail).collect()
    }

    /// Returns the number of messages in the next request.
    pub fn sent_len(&self) -> usize {
        self.messages.len() + usize::from(self.tail.is_some())
    }

    /// Removes recorded messages. Messages added by [`push_output`](Self::push_output) must not be
    /// removed.
    pub fn forget(&mut self, messages: Range<usize>) {
        self.recorded = self.recorded.saturating_sub(messages.len());
        self.messages.drain(messages);
    }

    /// Omits the older half of the remaining outputs, but never the newest output. If the context
    /// may be cut, cuts a quarter of its remaining characters instead. Returns `None` if nothing
    /// can be omitted. No hook has seen the shortened messages.
    pub fn trim(&mut self) -> Option<Trimmed> {
        if let Some(cuttable) = &mut self.cuttable {
            return cuttable.cut(&mut self.messages);
        }
        let older_than_newest = 0..self.outputs.len().saturating_sub(1);
        let whole: Vec<usize> = older_than_newest
            .filter(|index| !self.outputs[*index].left_out)
            .collect();
        let older = &whole[..whole.len().div_ceil(2)];
        let mut trimmed = Trimmed::default();
        self.counted = self.counted.filter(|_| older.is_empty());
        for index in older {
            let output = &mut self.outputs[*index];
            output.left_out = true;
            self.messages[output.message] = Arc::clone(&output.stub);
            let place = u32::try_from(output.message).unwrap_or(u32::MAX);
            trimmed.messages.push(place);
            trimmed.chars += output.chars;
        }
        (!older.is_empty()).then_some(trimmed)
    }
}

/// Estimates the number of tokens of a message.
pub(super) fn tokens_of(message: &Message) -> u64 {
    let calls = message.tool_calls.iter();
    let calls = calls.map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments));
    let images = IMAGE_TOKENS * message.images.len() as u64;
    estimate_tokens(&message.all_text()) + calls.sum::<u64>() + images
}

/// Replaces each image in all but the `newest` messages with a line of text. Each tool result
/// counts as a message, because it is sent as a separate message.
pub(crate) fn recent(
    mut messages: Vec<Arc<Message>>,
    newest: Option<NonZeroU32>,
) -> Vec<Arc<Message>> {
    let newest = newest.map_or(usize::MAX, |newest| newest.get() as usize);
    let mut later = 0;
    for message in messages.iter_mut().rev() {
        // If this message is sent as several, the last one contains the images.
        let is_older = later >= newest;
        later += message.api_message_count();
        if !is_older || message.images.is_empty() {
            continue;
        }
        let message = Arc::make_mut(message);
        for image in std::mem::take(&mut message.images) {
            if !message.content.is_empty() {
                message.content.push('\n');
            }
            message.content += &image_left_out(&image.media_type, image.bytes());
        }
    }
    messages
}

impl Cuttable {
    /// Cuts the middle out of the context. Returns `None` if the remaining context would be too
    /// short.
    fn cut(&mut self, messages: &mut [Arc<Message>]) -> Option<Trimmed> {
        /// Minimum characters of the remaining context.
        const LEAST: usize = 1_000;
        let shown = self.shown / 4 * 3;
        if shown < LEAST {
            return None;
        }
        let chars = (self.shown - shown) as u64;
        self.shown = shown;
        Arc::make_mut(messages.first_mut()?).content =
            cut_message(&self.query, &self.context, shown);
        let end = self
            .context
            .chars()
            .count()
            .saturating_sub(shown.div_ceil(2));
        Some(Trimmed {
            messages: vec![0],
            chars,
            cut: Some([(shown / 2) as u64, end as u64]),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use std::sync::Arc;

    use super::{Conversation, Message, Trimmed, image_left_out, recent};
    use crate::model::{Image, ToolResult};
    use crate::prompt::flat_message;

    #[test]
    fn replaces_images_of_older_messages() {
        let mut conversation = Conversation::new(String::new());
        for (content, images) in [("first", 2), ("", 1), ("third", 1)] {
            let image = Image {
                media_type: "image/png".to_owned(),
                data: "iVBORw0KGgo=".to_owned(),
            };
            conversation.push(Message {
                images: vec![image; images],
                ..Message::user(content)
            });
        }
        let gone = image_left_out("image/png", 8);
        let rows = [
            (None, [("first".to_owned(), 2), (String::new(), 1)]),
            (
                NonZeroU32::new(3),
                [("first".to_owned(), 2), (String::new(), 1)],
            ),
            (
                NonZeroU32::new(2),
                [(format!("first\n{gone}\n{gone}"), 0), (String::new(), 1)],
            ),
            (
                NonZeroU32::new(1),
                [(format!("first\n{gone}\n{gone}"), 0), (gone.clone(), 0)],
            ),
        ];
        for (newest, expected) in rows {
            let sent = recent(conversation.sent(), newest);
            let seen: Vec<(String, usize)> = sent
                .iter()
                .map(|message| (message.content.clone(), message.images.len()))
                .collect();
            assert_eq!(seen[..2], expected, "{newest:?}");
            assert_eq!(seen[2], ("third".to_owned(), 1), "{newest:?}");
        }
    }

    #[test]
    fn counts_tool_results_as_messages() {
        let image = Image {
            media_type: "image/png".to_owned(),
            data: "iVBORw0KGgo=".to_owned(),
        };
        let result = |call: &str| ToolResult {
            call: call.to_owned(),
            content: "found".to_owned(),
            is_error: false,
        };
        let messages = [
            Message {
                images: vec![image],
                ..Message::user("Look.")
            },
            Message::assistant("two calls"),
            Message {
                tool_results: vec![result("a"), result("b")],
                ..Message::user("")
            },
        ];
        for (newest, images) in [(4, 1), (3, 0)] {
            let messages = messages.clone().map(Arc::new).to_vec();
            let sent = recent(messages, NonZeroU32::new(newest));
            assert_eq!(sent[0].images.len(), images, "{newest}");
        }
    }

    #[test]
    fn cuts_middle_of_context() {
        let mut conversation = Conversation::new("system".to_owned());
        let context = "ä".repeat(1_000) + &"ö".repeat(1_000);
        conversation.push(Message::user(flat_message("Who?", &context)));
        conversation.may_cut("Who?", &context.into());
        let shown = |conversation: &Conversation| {
            let content = &conversation.messages()[0].content;
            let count = |letter| content.chars().filter(|c| *c == letter).count();
            let stated = content.contains(&format!(
                "{} characters are left out here",
                2_000 - count('ä') - count('ö')
            ));
            (count('ä'), count('ö'), stated)
        };
        assert_eq!(shown(&conversation), (1_000, 1_000, false));
        for (chars, head, tail, cut) in
            [(500, 750, 750, [750, 1_250]), (375, 562, 563, [562, 1_437])]
        {
            let messages = vec![0];
            let cut = Some(cut);
            let trimmed = Trimmed {
                messages,
                chars,
                cut,
            };
            assert_eq!(conversation.trim(), Some(trimmed));
            assert_eq!(shown(&conversation), (head, tail, true));
        }
        assert_eq!(conversation.trim(), None);
    }

    #[test]
    fn omits_older_outputs_first() {
        let mut conversation = Conversation::new("system".to_owned());
        conversation.push(Message::user("first"));
        for turn in 1..=4 {
            conversation.push(Message::assistant(format!("code {turn}")));
            let output = format!("a long output {turn}");
            let stub = Message::user(format!("- {turn}"));
            conversation.push_output(Message::user(output), stub, 15);
        }
        let contents = |conversation: &Conversation| -> Vec<String> {
            let of_user = conversation.messages().iter().step_by(2);
            of_user.map(|message| message.content.clone()).collect()
        };
        let trimmed = |messages: &[u32], chars| {
            Some(Trimmed {
                messages: messages.to_vec(),
                chars,
                cut: None,
            })
        };
        assert_eq!(conversation.trim(), trimmed(&[2, 4], 30));
        let now = ["first", "- 1", "- 2", "a long output 3", "a long output 4"];
        assert_eq!(contents(&conversation), now);
        assert_eq!(conversation.trim(), trimmed(&[6], 15));
        let now = ["first", "- 1", "- 2", "- 3", "a long output 4"];
        assert_eq!(contents(&conversation), now);
        assert_eq!(conversation.trim(), None);
    }
}
