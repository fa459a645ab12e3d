//! Token counts and costs that servers report.

use serde_json::Value;

use super::json_fields::count;
use crate::model::Usage;

/// Parses a usage object, or returns `None` if it does not contain the input. `input` and `output`
/// are the names of the fields for the token counts. The fields with these names and the suffix
/// `_details` contain the details.
///
/// Some gateways do not count cached tokens as input. In this case, the cached tokens exceed the
/// input, or the total is the sum of input, output and cached tokens.
///
/// Some servers (xAI, and Gemini behind gateways) do not count reasoning as output. In this case,
/// the reasoning exceeds the output, or the total is the sum of input, output and reasoning.
/// Google's own server reports reasoning only as part of the total.
pub(super) fn counted(usage: &Value, [input, output]: [&str; 2]) -> Option<Usage> {
    usage[input].as_u64()?;
    let most = |places: [&Value; 2]| places.into_iter().map(count).max().unwrap_or_default();
    let details = &usage[format!("{input}_details")];
    let cached = most([&details["cached_tokens"], &usage["cache_read_input_tokens"]]);
    // Only OpenRouter and gateways to Anthropic report cache writes.
    let written = most([
        &details["cache_write_tokens"],
        &usage["cache_creation_input_tokens"],
    ]);
    let details = &usage[format!("{output}_details")];
    let reasoning = most([&details["reasoning_tokens"], &usage["reasoning_tokens"]]);
    let (input, said) = (count(&usage[input]), count(&usage[output]));
    let total = count(&usage["total_tokens"]);
    let rest = total.saturating_sub(input.saturating_add(said));
    let cache = cached.saturating_add(written);
    let explains = |rest: u64| cache > 0 && rest == cache;
    let is_beside = cache > input || explains(rest) || explains(rest.saturating_sub(reasoning));
    let cache = if is_beside { cache } else { 0 };
    let rest = rest.saturating_sub(cache);
    let (output, reasoning) = if reasoning > said || reasoning > 0 && rest >= reasoning {
        (said.saturating_add(reasoning), reasoning)
    } else if reasoning == 0 {
        (said.saturating_add(rest), rest)
    } else {
        (said, reasoning)
    };
    Some(Usage {
        input_tokens: input.saturating_add(cache),
        cached_input_tokens: cached,
        cache_write_tokens: written,
        output_tokens: output,
        reasoning_tokens: reasoning,
        estimated: false,
    })
}

/// Maximum plausible cost of one call in US dollars. A higher cost must be a mistake of the server.
const MAX_COST_USD: f64 = 1_000.0;

/// Returns the cost in US dollars that a server reports with its token counts. If `OpenRouter` used
/// the user's own key for a provider (`is_byok`), this is its fee plus the provider's charge.
/// Ignores a cost below 0 or above [`MAX_COST_USD`].
pub(super) fn cost(usage: &Value) -> Option<f64> {
    let charged = plausible(usage["cost"].as_f64()?)?;
    if usage["is_byok"] != true {
        return Some(charged);
    }
    let by_provider = &usage["cost_details"]["upstream_inference_cost"];
    plausible(charged + plausible(by_provider.as_f64()?)?)
}

fn plausible(cost: f64) -> Option<f64> {
    (0.0..=MAX_COST_USD).contains(&cost).then_some(cost)
}
