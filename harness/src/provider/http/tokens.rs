//! An estimate of tokens, for servers that count none and for responses whose count was cut off.

use crate::outcome::Usage;
use crate::provider::{Request, Response};
use crate::tool_call::ToolCall;

/// Characters that make a token: a usual mean for English text and code.
const CHARS_PER_TOKEN: u64 = 4;

/// Tokens that an image is taken to have.
pub const IMAGE_TOKENS: u64 = 1_000;

/// Characters divided by 4, rounded up; an image counts as 1,000 tokens. Marked as an estimate.
pub(super) fn estimate(request: &Request, response: &Response) -> Usage {
    let mut input = estimate_tokens(&request.system);
    for message in &request.messages {
        input += estimate_tokens(&message.all_text()) + of_calls(&message.tool_calls);
        input += IMAGE_TOKENS * message.images.len() as u64;
    }
    let reasoning = estimate_tokens(response.reasoning.as_deref().unwrap_or_default());
    let output = estimate_tokens(&response.text) + of_calls(&response.tool_calls);
    Usage {
        input_tokens: input,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: output + reasoning,
        reasoning_tokens: reasoning,
        estimated: true,
    }
}

fn of_calls(calls: &[ToolCall]) -> u64 {
    let calls = calls.iter();
    calls
        .map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments))
        .sum()
}

/// The tokens of a text: its characters divided by 4, rounded up.
pub fn estimate_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(CHARS_PER_TOKEN)
}
