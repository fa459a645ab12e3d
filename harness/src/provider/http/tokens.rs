//! An estimate of tokens, for servers that count none and for responses whose count was cut off.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::model::{ToolCall, Usage};
use crate::provider::{Request, Response};

/// Characters that make a token: a usual mean for English text and code.
const CHARS_PER_TOKEN: u64 = 4;

/// Tokens that an image is taken to have.
pub const IMAGE_TOKENS: u64 = 1_000;

/// Tokens that a response is taken to have before any of its model has ended.
const RESPONSE_TOKENS: u64 = 4_000;

/// Estimated tokens that a prompt has at least to be a possible overflow: about the smallest context of current models.
const SHORTEST_OVERFLOW: u64 = 3_000;

/// Factor by which a prompt is much longer than another.
const MUCH_LONGER: u64 = 2;

/// What the responses of a server took so far, by model: what the next will take is estimated by them.
#[derive(Debug, Default)]
pub(super) struct Experience {
    /// The longest output of an earlier start, of whatever model.
    earlier: Option<u64>,
    models: Mutex<HashMap<String, Past>>,
}

/// What the responses of one model took.
#[derive(Debug, Default)]
struct Past {
    longest: u64,
    /// Estimated tokens of the longest prompt that the server accepted.
    longest_prompt: u64,
    /// Whether the server counted the tokens of any response.
    has_counted: bool,
    counted_input: u64,
    estimated_input: u64,
}

impl Experience {
    /// Begins with the longest output that is known from earlier, in tokens.
    pub fn new(earlier: Option<u64>) -> Self {
        Self {
            earlier,
            ..Self::default()
        }
    }

    /// Takes in what a response took, if its server counted that.
    pub fn learn(&self, request: &Request, response: &Response) {
        let estimated = estimate(request, response).input_tokens;
        let mut models = self.models.lock();
        let past = models.entry(request.model.clone()).or_default();
        past.longest_prompt = past.longest_prompt.max(estimated);
        let Some(usage) = response.usage.filter(|usage| !usage.estimated) else {
            return;
        };
        past.longest = past.longest.max(usage.output_tokens);
        past.has_counted = true;
        past.counted_input = past.counted_input.saturating_add(usage.input_tokens);
        past.estimated_input = past.estimated_input.saturating_add(estimated);
    }

    /// Whether a prompt is much longer than every prompt that the server accepted from the same model's requests. Without
    /// an accepted prompt nothing is known.
    pub fn is_much_longer(&self, request: &Request) -> bool {
        let tokens = estimate(request, &Response::default()).input_tokens;
        let models = self.models.lock();
        models.get(&request.model).is_some_and(|past| {
            past.longest_prompt > 0
                && tokens >= SHORTEST_OVERFLOW
                && tokens >= past.longest_prompt.saturating_mul(MUCH_LONGER)
        })
    }

    /// What a request will take whose response nobody gets. Rather too much than too little, for budgets are kept by it: an
    /// output as long as the model's longest so far, or the longest of earlier starts, at most its limit; an input that is estimated, times what the server
    /// counted for each estimated token so far, if that is more.
    pub fn expect(&self, request: &Request) -> Usage {
        let usage = estimate(request, &Response::default());
        let models = self.models.lock();
        let past = models.get(&request.model).filter(|past| past.has_counted);
        let longest = past.map(|past| past.longest).max(self.earlier);
        let longest = longest.unwrap_or(RESPONSE_TOKENS);
        let most = request.sampling.max_tokens.map_or(u64::MAX, u64::from);
        let input = past.map_or(usage.input_tokens, |past| {
            let counted = u128::from(usage.input_tokens) * u128::from(past.counted_input);
            let scaled = counted.div_ceil(u128::from(past.estimated_input.max(1)));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        });
        Usage {
            input_tokens: input.max(usage.input_tokens),
            output_tokens: longest.min(most),
            ..usage
        }
    }
}

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

/// What a response used, by the server's count. What it leaves out, or says was nothing although it cannot be, is
/// estimated: the input, and the output of a response that says something.
pub(super) fn completed(counted: Option<Usage>, request: &Request, response: &Response) -> Usage {
    let estimate = estimate(request, response);
    let Some(mut usage) = counted else {
        return estimate;
    };
    if usage.input_tokens == 0 && estimate.input_tokens > 0 {
        usage.input_tokens = estimate.input_tokens;
        usage.estimated = true;
    }
    if usage.output_tokens == 0 && estimate.output_tokens > 0 {
        usage.output_tokens = estimate.output_tokens;
        usage.reasoning_tokens = usage.reasoning_tokens.max(estimate.reasoning_tokens);
        usage.estimated = true;
    }
    usage
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
