//! Estimates token counts for budgets, for servers that do not report them, and for incomplete
//! responses.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::model::{ToolCall, ToolSpec, Usage};
use crate::provider::{Request, Response};

/// Average number of characters per token in English text and code.
const CHARS_PER_TOKEN: u64 = 4;

/// Estimated tokens of an image.
pub const IMAGE_TOKENS: u64 = 1_000;

/// Estimated tokens of a response if no earlier response is known.
const RESPONSE_TOKENS: u64 = 4_000;

/// Maximum plausible tokens that a server adds to each message and each tool.
const ADDED_TOKENS: usize = 16;

/// Maximum plausible tokens of an image.
const MOST_IMAGE_TOKENS: usize = 4_000;

/// Minimum estimated tokens of a prompt to suspect a context overflow, about the smallest context
/// window of current models.
const SHORTEST_OVERFLOW: u64 = 3_000;

/// Minimum estimated tokens of a prompt to use its ratio of counted to estimated tokens. In shorter
/// prompts, the tokens that a server adds to each message distort the ratio.
const SHORTEST_COMPARED: u64 = 500;

/// Minimum ratio of two prompts' lengths for the longer one to count as much longer.
const MUCH_LONGER: u64 = 2;

/// Statistics of a server's responses by model, used to estimate the usage of later requests.
#[derive(Debug, Default)]
pub(super) struct ResponseLengthStats {
    /// Output tokens of the longest response of any model in earlier processes.
    earlier: Option<u64>,
    models: Mutex<HashMap<String, ModelStats>>,
}

/// Statistics of one model's responses.
#[derive(Debug, Default)]
struct ModelStats {
    longest: u64,
    /// Estimated tokens of the longest accepted prompt.
    longest_prompt: u64,
    /// Whether the server has counted the tokens of any response.
    has_counted: bool,
    counted_input: u64,
    estimated_input: u64,
    /// Highest ratio of counted to estimated tokens among prompts with at least
    /// [`SHORTEST_COMPARED`] tokens.
    highest_ratio: Option<f64>,
}

impl ResponseLengthStats {
    /// Creates empty statistics. `earlier` is the number of output tokens of the longest response
    /// in earlier processes.
    pub fn new(earlier: Option<u64>) -> Self {
        Self {
            earlier,
            ..Self::default()
        }
    }

    /// Adds an accepted prompt and its response.
    pub fn learn(&self, request: &Request, response: &Response) {
        let estimated = estimate(request, response).input_tokens;
        let mut models = self.models.lock();
        let past = models.entry(request.model.clone()).or_default();
        past.longest_prompt = past.longest_prompt.max(prompt_tokens(request));
        let Some(usage) = response.usage.filter(|usage| !usage.estimated) else {
            return;
        };
        past.longest = past.longest.max(usage.output_tokens);
        past.has_counted = true;
        if estimated >= SHORTEST_COMPARED {
            let ratio = usage.input_tokens as f64 / estimated as f64;
            past.highest_ratio = Some(past.highest_ratio.map_or(ratio, |known| known.max(ratio)));
        }
        past.counted_input = past.counted_input.saturating_add(usage.input_tokens);
        past.estimated_input = past.estimated_input.saturating_add(estimated);
    }

    /// Whether a prompt is much longer than all accepted prompts of the same model. Returns `false`
    /// without an accepted prompt.
    pub fn is_much_longer(&self, request: &Request) -> bool {
        let tokens = prompt_tokens(request);
        let models = self.models.lock();
        models.get(&request.model).is_some_and(|past| {
            past.longest_prompt > 0
                && tokens >= SHORTEST_OVERFLOW
                && tokens >= past.longest_prompt.saturating_mul(MUCH_LONGER)
        })
    }

    /// Estimates the usage of a request before its response is known. The estimate errs on the high
    /// side, because budgets depend on it. The output is the request's limit, or else the longest
    /// output so far (including earlier processes), or else 4,000 tokens. The input is estimated.
    /// If the server has counted more tokens than estimated, the estimate is multiplied by the
    /// highest ratio of any long prompt, or else by the ratio of all prompts together.
    pub fn expect(&self, request: &Request) -> Usage {
        let usage = estimate(request, &Response::default());
        let models = self.models.lock();
        let past = models.get(&request.model).filter(|past| past.has_counted);
        let longest = past.map(|past| past.longest).max(self.earlier);
        let longest = longest.unwrap_or(RESPONSE_TOKENS);
        let output = request.sampling.max_tokens.map_or(longest, u64::from);
        let input = past.map_or(usage.input_tokens, |past| {
            if let Some(ratio) = past.highest_ratio {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a positive number of tokens"
                )]
                return (usage.input_tokens as f64 * ratio).ceil() as u64;
            }
            let counted = u128::from(usage.input_tokens) * u128::from(past.counted_input);
            let scaled = counted.div_ceil(u128::from(past.estimated_input.max(1)));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        });
        Usage {
            input_tokens: input.max(usage.input_tokens),
            output_tokens: output,
            ..usage
        }
    }

    /// Returns the highest plausible usage of a request, given its likely usage. Before the server
    /// has counted tokens for the model, each byte of the prompt and of the tools counts as one
    /// token, because no tokenizer creates more.
    pub fn most(&self, request: &Request, likely: Usage) -> Usage {
        let models = self.models.lock();
        if models
            .get(&request.model)
            .is_some_and(|past| past.has_counted)
        {
            return likely;
        }
        let images: usize = request
            .messages
            .iter()
            .map(|message| message.images.len())
            .sum();
        let tools = offered_tools(request);
        let bytes_of = |spec: &ToolSpec| {
            let parameters = spec.parameters.to_string();
            spec.name.len() + spec.description.len() + parameters.len()
        };
        let bytes = request.text_bytes() + tools.iter().map(bytes_of).sum::<usize>();
        let parts = request.messages.len() + tools.len() + 1;
        let added = ADDED_TOKENS * parts + MOST_IMAGE_TOKENS * images;
        Usage {
            input_tokens: likely.input_tokens.max((bytes + added) as u64),
            ..likely
        }
    }
}

/// Estimates the usage of a request and its response, with a token for every 4 characters and 1,000
/// tokens for each image.
pub(super) fn estimate(request: &Request, response: &Response) -> Usage {
    let tools = offered_tools(request).iter().map(tool_tokens);
    let input = prompt_tokens(request) + tools.sum::<u64>();
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

/// Estimates the number of tokens of a request's system prompt and messages.
fn prompt_tokens(request: &Request) -> u64 {
    let mut tokens = estimate_tokens(&request.system);
    for message in &request.messages {
        tokens += estimate_tokens(&message.all_text()) + of_calls(&message.tool_calls);
        tokens += IMAGE_TOKENS * message.images.len() as u64;
    }
    tokens
}

/// Returns the tools that a request mentions.
fn offered_tools(request: &Request) -> &[ToolSpec] {
    if request.tools.is_off() {
        &[]
    } else {
        &request.tools.specs
    }
}

/// Returns the usage of a response as counted by the server. Estimates missing counts, and counts
/// of zero for a prompt or a response that is not empty.
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

/// Estimates the number of tokens of a tool's description and schema.
pub(crate) fn tool_tokens(spec: &ToolSpec) -> u64 {
    estimate_tokens(&spec.description) + estimate_tokens(&spec.parameters.to_string())
}

/// Estimates the number of tokens of a text as its number of characters divided by 4, rounded up.
pub fn estimate_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(CHARS_PER_TOKEN)
}
