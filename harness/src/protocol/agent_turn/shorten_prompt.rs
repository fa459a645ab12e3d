//! Shortens a request to `maxPromptTokens` by dropping the oldest turns first, then the end of the
//! page.

use crate::agent::{Attempt, Conversation, Failure, Invocation};
use crate::model::{EventKind, Message, MessageRole, Status};
use crate::provider::http::estimate_tokens;

const TRUNCATED: &str = "\n[...truncated]";

/// Shortens the conversation until its estimated size is at most `most` tokens. The user's messages
/// are kept; `follow_ups` has the places of those after the first, and is updated.
pub(super) fn fit(
    attempt: &Attempt<'_>,
    root: &Invocation,
    conversation: &mut Conversation,
    follow_ups: &mut [usize],
    most: u64,
) -> Result<(), Failure> {
    let mut forgotten = 0;
    while estimate(conversation) > most && forget_turn(conversation, follow_ups, &mut forgotten) {}
    if forgotten > 0 {
        attempt.records.count(|stats| stats.context_trims += 1);
        attempt.records.emit(
            root,
            EventKind::ContextTrimmed {
                messages: (1..=forgotten).collect(),
                chars: 0,
                cut: None,
            },
        );
    }
    let over = estimate(conversation).saturating_sub(most);
    if over > 0 && !shorten(conversation, over) {
        return Err(Failure::new(
            Status::Limit,
            format!(
                "the prompt exceeds maxPromptTokens ({most}) even without its history and page"
            ),
        ));
    }
    Ok(())
}

/// Estimates the tokens of the next request: one for every 4 characters of each text, rounded up,
/// and 1,000 for each image.
fn estimate(conversation: &Conversation) -> u64 {
    let messages = conversation.messages().iter().map(AsRef::as_ref);
    let messages = messages.chain(&conversation.tail);
    let of = |message: &Message| {
        let calls = message.tool_calls.iter();
        let calls: u64 = calls.map(|call| estimate_tokens(&call.arguments)).sum();
        estimate_tokens(&message.all_text()) + calls + 1_000 * message.images.len() as u64
    };
    estimate_tokens(&conversation.system) + messages.map(of).sum::<u64>()
}

/// Drops the oldest turn: a response and the messages up to the next response, except the user's.
/// Returns `false` if there are fewer than two turns.
fn forget_turn(
    conversation: &mut Conversation,
    follow_ups: &mut [usize],
    forgotten: &mut u32,
) -> bool {
    let messages = conversation.messages();
    let responses: Vec<usize> = (1..messages.len())
        .filter(|index| messages[*index].role == MessageRole::Assistant)
        .collect();
    let [first, next, ..] = responses[..] else {
        return false;
    };
    let is_users = follow_ups.contains(&(next - 1));
    let end = if is_users { next - 1 } else { next };
    conversation.forget(first..end);
    for place in follow_ups.iter_mut().filter(|place| **place >= end) {
        *place -= end - first;
    }
    *forgotten += u32::try_from(end - first).unwrap_or(u32::MAX);
    true
}

/// Removes `over` tokens from the end of the page. Returns `false` if the page is too short.
fn shorten(conversation: &mut Conversation, over: u64) -> bool {
    let Some(tail) = &mut conversation.tail else {
        return false;
    };
    let chars = tail.content.chars().count();
    let cut = usize::try_from(over * 4).unwrap_or(usize::MAX);
    let Some(kept) = chars.checked_sub(cut.saturating_add(TRUNCATED.len())) else {
        return false;
    };
    let mut text: String = tail.content.chars().take(kept).collect();
    text.push_str(TRUNCATED);
    tail.content = text;
    true
}
