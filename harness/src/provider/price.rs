//! Computes the cost of responses: the cost reported by the server, or else the usage multiplied by
//! prices from a table, or else unknown.

use async_trait::async_trait;
use globset::{Glob, GlobSet, GlobSetBuilder};
use jiff::civil::Date;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    CallEvent, CallSink, Estimate, Forecast, Provider, ProviderError, Request, Response,
    response_mut,
};
use crate::model::Usage;

const BUNDLED: &str = include_str!("../../prices.yaml");

/// Prices by model. The first matching entry applies.
#[derive(Debug, Clone, Default)]
pub struct PriceTable {
    prices: Vec<Price>,
    /// Name, date and source of each table that was combined into this one.
    origins: Vec<String>,
}

/// Price of the models that match an entry's globs, in US dollars per million tokens.
#[derive(Debug, Clone)]
struct Price {
    models: GlobSet,
    from_input_tokens: u64,
    input: f64,
    cached_input: f64,
    cache_write: f64,
    output: f64,
    /// Date of the price at its source, if the file states a complete date.
    date: Option<Date>,
}

/// Error when parsing a price table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PriceError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    date: String,
    source: String,
    #[serde(default)]
    sources: BTreeMap<String, Source>,
    prices: Vec<Entry>,
}

/// Source of some entries of a table, with the date of access.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    date: String,
    #[expect(dead_code, reason = "documents the file")]
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    models: Vec<String>,
    #[serde(default)]
    from_input_tokens: u64,
    input: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    output: f64,
    /// Key of `sources`. Without it, the entry has the date and source of the file.
    from: Option<String>,
}

impl PriceTable {
    /// Returns the bundled prices.
    ///
    /// # Errors
    /// Returns [`PriceError`] if the bundled file is invalid. A test checks that it is valid.
    pub fn bundled() -> Result<Self, PriceError> {
        Self::parse("prices.yaml", BUNDLED)
    }

    /// Parses prices in the format of the bundled file. `origin` is the name of the file in error
    /// messages.
    ///
    /// # Errors
    /// Returns [`PriceError`] with the invalid field or entry.
    pub fn parse(origin: &str, text: &str) -> Result<Self, PriceError> {
        let wrong = |problem: String| PriceError(format!("{origin}: {problem}"));
        let file: File = crate::text::yaml::read(text).map_err(|error| wrong(error.to_string()))?;
        let mut prices = Vec::new();
        for (number, entry) in (1..).zip(file.prices) {
            let in_entry =
                |problem: String| wrong(format!("entry {number} of `prices`: {problem}"));
            let given = [
                ("input", Some(entry.input)),
                ("cached_input", entry.cached_input),
                ("cache_write", entry.cache_write),
                ("output", Some(entry.output)),
            ];
            for (field, price) in given {
                if price.is_some_and(|price| !price.is_finite() || price < 0.0) {
                    return Err(in_entry(format!("`{field}` must be 0 or more")));
                }
            }
            let models = globs(&entry.models).map_err(|error| in_entry(error.to_string()))?;
            let source = source_of(&file.sources, entry.from.as_deref()).map_err(in_entry)?;
            let date = source.map_or(&file.date, |source| &source.date);
            prices.push(Price {
                models,
                from_input_tokens: entry.from_input_tokens,
                input: entry.input,
                cached_input: entry.cached_input.unwrap_or(entry.input),
                cache_write: entry.cache_write.unwrap_or(entry.input),
                output: entry.output,
                date: date.parse().ok(),
            });
        }
        let origins = vec![format!("{origin} of {}: {}", file.date, file.source)];
        Ok(Self { prices, origins })
    }

    /// Adds the prices of another table for models without a price in this one.
    #[must_use]
    pub fn or(mut self, others: Self) -> Self {
        self.prices.extend(others.prices);
        self.origins.extend(others.origins);
        self
    }

    /// Returns the name, date and source of each table that was combined into this one.
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Whether the table has a price for a model.
    pub fn knows(&self, reference: &str) -> bool {
        self.price(reference, u64::MAX).is_some()
    }

    /// Returns the date of a model's price, or `None` if the price or its date is unknown.
    pub fn date(&self, reference: &str) -> Option<Date> {
        self.price(reference, u64::MAX)?.date
    }

    /// Returns the price of a model in a request with this number of input tokens.
    fn price(&self, reference: &str, input_tokens: u64) -> Option<&Price> {
        let reference = priced_as(reference);
        self.prices.iter().find(|price| {
            input_tokens >= price.from_input_tokens && price.models.is_match(&*reference)
        })
    }

    /// Returns the cost in US dollars of a request with this usage, or `None` if the model has no
    /// price.
    pub fn cost_usd(&self, reference: &str, usage: &Usage) -> Option<f64> {
        let price = self.price(reference, usage.input_tokens)?;
        let plain = usage
            .input_tokens
            .saturating_sub(usage.cached_input_tokens)
            .saturating_sub(usage.cache_write_tokens);
        let parts = [
            (plain, price.input),
            (usage.cached_input_tokens, price.cached_input),
            (usage.cache_write_tokens, price.cache_write),
            (usage.output_tokens, price.output),
        ];
        let per_million: f64 = parts
            .iter()
            .map(|(count, price)| *count as f64 * price)
            .sum();
        Some(per_million / 1e6)
    }
}

/// Returns the reference for a price lookup. Models of `OpenAI` cost the same through both of its
/// APIs.
pub(super) fn priced_as(reference: &str) -> Cow<'_, str> {
    match reference.strip_prefix("openai-responses/") {
        Some(model) => format!("openai/{model}").into(),
        None => reference.into(),
    }
}

/// Returns the source named by an entry, if any.
pub(super) fn source_of<'a>(
    sources: &'a BTreeMap<String, Source>,
    from: Option<&str>,
) -> Result<Option<&'a Source>, String> {
    from.map(|from| {
        let unknown = || format!("`from`: `{from}` is not a key of `sources`");
        sources.get(from).ok_or_else(unknown)
    })
    .transpose()
}

pub(super) fn globs(models: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for model in models {
        set.add(Glob::new(model)?);
    }
    set.build()
}

/// A provider that adds costs to responses.
pub struct Priced {
    inner: Arc<dyn Provider>,
    /// Requested model, as `PROVIDER/MODEL`. Its price applies even if the server reports another
    /// model, because a reported name has no provider, and users set prices for the models that
    /// they request.
    reference: String,
    table: PriceTable,
}

impl Priced {
    /// Adds prices to a provider. `reference` is the requested model.
    pub const fn new(inner: Arc<dyn Provider>, reference: String, table: PriceTable) -> Self {
        Self {
            inner,
            reference,
            table,
        }
    }

    fn cost(&self, usage: Option<&Usage>, said: Option<f64>) -> Option<f64> {
        said.or_else(|| self.table.cost_usd(&self.reference, usage?))
    }

    fn with_cost(
        &self,
        mut result: Result<Response, ProviderError>,
    ) -> Result<Response, ProviderError> {
        if let Some(response) = response_mut(&mut result) {
            response.cost_usd = self.cost(response.usage.as_ref(), response.cost_usd);
        }
        result
    }
}

/// Sink that adds costs to [`CallEvent::Billed`] and forwards all events.
struct PricedCalls<'a> {
    calls: &'a dyn CallSink,
    priced: &'a Priced,
}

#[async_trait]
impl CallSink for PricedCalls<'_> {
    fn note(&self, event: CallEvent) {
        self.calls.note(match event {
            CallEvent::Billed { usage, cost_usd } => CallEvent::Billed {
                cost_usd: self.priced.cost(Some(&usage), cost_usd),
                usage,
            },
            event => event,
        });
    }

    async fn may_send_again(&self) -> bool {
        self.calls.may_send_again().await
    }
}

#[async_trait]
impl Provider for Priced {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let calls = PricedCalls {
            calls,
            priced: self,
        };
        self.with_cost(self.inner.complete(request, &calls).await)
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        Some(self.with_cost(self.inner.recall(request).await?))
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        let Forecast { likely, most } = self.inner.forecast(request)?;
        let priced = |usage: Usage, said: Option<f64>| Estimate {
            usage,
            cost_usd: self.cost(Some(&usage), said),
        };
        let plain = priced(most.usage, most.cost_usd);
        // Input tokens may cost more if the provider writes them to its cache.
        let written = Usage {
            cache_write_tokens: most.usage.input_tokens,
            ..most.usage
        };
        let written = priced(written, most.cost_usd);
        let cost_usd = plain.cost_usd.zip(written.cost_usd);
        Some(Forecast {
            likely: priced(likely.usage, likely.cost_usd),
            most: Estimate {
                cost_usd: cost_usd.map(|(plain, written)| plain.max(written)),
                ..plain
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cached: u64, written: u64, output: u64) -> Usage {
        Usage {
            input_tokens: input,
            cached_input_tokens: cached,
            cache_write_tokens: written,
            output_tokens: output,
            ..Usage::default()
        }
    }

    #[test]
    fn computes_costs_from_bundled_prices() {
        let table = PriceTable::bundled().unwrap();
        let rows = [
            ("openai/gpt-5", usage(1_000_000, 0, 0, 100_000), Some(2.25)),
            (
                "openai-responses/gpt-5",
                usage(1_000_000, 0, 0, 0),
                Some(1.25),
            ),
            (
                "openai/gpt-5-2025-08-07",
                usage(1_000_000, 400_000, 0, 0),
                Some(0.8),
            ),
            ("openai/gpt-5.1", usage(0, 0, 0, 100_000), Some(1.0)),
            ("openai/gpt-5-pro", usage(1_000_000, 0, 0, 0), Some(15.0)),
            ("openai/gpt-5-search", usage(1, 0, 0, 1), None),
            (
                "google/gemini-2.5-pro",
                usage(200_000, 0, 0, 100_000),
                Some(1.25),
            ),
            (
                "google/gemini-2.5-pro",
                usage(200_001, 0, 0, 0),
                Some(0.500_002_5),
            ),
            (
                "anthropic/claude-haiku-4-5-20251001",
                usage(100_000, 20_000, 40_000, 10_000),
                Some(0.142),
            ),
            (
                "anthropic/claude-sonnet-4-5",
                usage(200_000, 0, 0, 0),
                Some(0.6),
            ),
            (
                "anthropic/claude-sonnet-4-5",
                usage(300_000, 0, 0, 0),
                Some(1.8),
            ),
            (
                "openai/gpt-6.2-sol",
                usage(272_000, 100_000, 0, 0),
                Some(0.354),
            ),
            (
                "openai/gpt-6.2-sol",
                usage(300_000, 100_000, 0, 100_000),
                Some(2.32),
            ),
            ("openai/gpt-6.2-sol-mini", usage(1, 0, 0, 1), None),
            (
                "anthropic/claude-opus-5-5",
                usage(1_000_000, 500_000, 100_000, 0),
                Some(2.2),
            ),
            ("anthropic/claude-opus-5-6", usage(1, 0, 0, 1), None),
            (
                "anthropic/claude-haiku-5-5",
                usage(100_001, 0, 0, 0),
                Some(0.050_000_5),
            ),
            ("google/gemini-4-neon", usage(500_000, 0, 0, 0), Some(1.5)),
            ("scripted/s-niah", usage(1, 0, 0, 1), None),
        ];
        for (reference, usage, wanted) in rows {
            let cost = table.cost_usd(reference, &usage);
            let near = match (cost, wanted) {
                (Some(cost), Some(wanted)) => (cost - wanted).abs() < 1e-9,
                (cost, wanted) => cost == wanted,
            };
            assert!(near, "{reference} {usage:?}: {cost:?}, wanted {wanted:?}");
        }
    }

    #[test]
    fn prefers_user_prices_and_rejects_invalid_ones() {
        let own = "{date: d, source: s, prices: [{models: ['openai/gpt-5'], input: 1, output: 2}]}";
        let table = PriceTable::parse("own.yaml", own).unwrap();
        let table = table.or(PriceTable::bundled().unwrap());
        assert_eq!(
            table.cost_usd("openai/gpt-5", &usage(1_000_000, 500_000, 0, 0)),
            Some(1.0)
        );
        assert_eq!(
            table.cost_usd("openai/o3", &usage(1_000_000, 0, 0, 0)),
            Some(2.0)
        );
        let rows = [
            (
                "{date: d, source: s, prices: [{models: [a], input: -1, output: 2}]}",
                "own.yaml: entry 1 of `prices`: `input` must be 0 or more",
            ),
            (
                "{date: d, source: s, prices: [{models: ['[a'], input: 1, output: 2}]}",
                "own.yaml: entry 1 of `prices`: error parsing glob '[a': unclosed character class; missing ']'",
            ),
            (
                "{date: d, source: s, prices: [{models: [a], input: 1, output: 2, from: b}]}",
                "own.yaml: entry 1 of `prices`: `from`: `b` is not a key of `sources`",
            ),
        ];
        for (text, wanted) in rows {
            let error = PriceTable::parse("own.yaml", text).unwrap_err();
            assert_eq!(error.to_string(), wanted);
        }
        for text in [
            "",
            "prices: []",
            "{date: d, source: s, prices: [{models: [a], input: 1}]}",
        ] {
            assert!(PriceTable::parse("own.yaml", text).is_err(), "{text}");
        }
    }
    #[test]
    fn returns_date_of_price_source() {
        let own = "{date: 2026-03-01, source: s, sources: {b: {date: 2026-05-02, source: s}}, prices: [\
                   {models: ['openai/a'], input: 1, output: 2}, \
                   {models: ['openai/b'], input: 1, output: 2, from: b}]}";
        let dateless =
            "{date: d, source: s, prices: [{models: ['openai/*'], input: 1, output: 2}]}";
        let table = PriceTable::parse("own.yaml", own).unwrap();
        let table = table.or(PriceTable::parse("other.yaml", dateless).unwrap());
        for (reference, expected) in [
            ("openai/a", Some("2026-03-01")),
            ("openai-responses/b", Some("2026-05-02")),
            ("openai/c", None),
            ("google/a", None),
        ] {
            let date = table.date(reference).map(|date| date.to_string());
            assert_eq!(date.as_deref(), expected, "{reference}");
        }
    }

    #[test]
    fn every_bundled_price_has_a_source() {
        let file: File = crate::text::yaml::read(BUNDLED).unwrap();
        for entry in &file.prices {
            assert!(entry.from.is_some(), "{:?}", entry.models);
        }
        let table = PriceTable::bundled().unwrap();
        assert!(table.prices.iter().all(|price| price.date.is_some()));
    }
}
