//! Metrics of the server, in the text format of Prometheus.

use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;

use model::Usage;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::agents::{AgentResult, Progress};

/// Upper bounds of the histogram buckets in seconds. Agents may run from less than a second to an
/// hour.
const SECONDS: [f64; 12] = [
    0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0,
];

/// Label names with their values.
type Labels = Vec<(&'static str, String)>;

/// All metrics of the server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram>,
    working: Gauge<i64, AtomicI64>,
    waiting: Gauge<i64, AtomicI64>,
    tokens: Family<Labels, Counter>,
    cost: Family<Labels, Counter<f64, AtomicU64>>,
    agents: Family<Labels, Counter>,
    llm_calls: Family<Labels, Counter>,
}

/// Media type of [`Metrics::text`].
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("rlm_eval");
        let requests = Family::default();
        let about = "Finished requests by model, client and HTTP status; 499 means that the client \
            disconnected";
        registry.register("requests", about, requests.clone());
        let seconds = Family::<Labels, Histogram>::new_with_constructor(|| Histogram::new(SECONDS));
        let about = "Time from a request to the end of its answer";
        registry.register_with_unit("request_duration", about, Unit::Seconds, seconds.clone());
        let working = Gauge::default();
        registry.register(
            "agents_working",
            "Requests whose agents are working",
            working.clone(),
        );
        let waiting = Gauge::default();
        registry.register("requests_waiting", "Waiting requests", waiting.clone());
        let tokens = Family::default();
        let about = "Tokens of model calls, including those of stopped agents";
        registry.register("tokens", about, tokens.clone());
        let cost = Family::default();
        let about = "US dollars of model calls whose cost is known";
        registry.register("cost_usd", about, cost.clone());
        let agents = Family::default();
        registry.register("agents", "Agents of answered requests", agents.clone());
        let llm_calls = Family::default();
        let about = "Model calls made for answered requests";
        registry.register("llm_calls", about, llm_calls.clone());
        Self {
            registry,
            requests,
            seconds,
            working,
            waiting,
            tokens,
            cost,
            agents,
            llm_calls,
        }
    }

    /// Counts a finished request.
    pub(crate) fn ended(&self, model: &str, client: &str, status: u16, took: Duration) {
        let labels = vec![
            ("model", model.to_owned()),
            ("client", client.to_owned()),
            ("status", status.to_string()),
        ];
        self.requests.get_or_create(&labels).inc();
        let labels = of_model(model);
        self.seconds
            .get_or_create(&labels)
            .observe(took.as_secs_f64());
    }

    /// Adds `more`, which may be negative, to the number of working agents.
    pub(crate) fn works(&self, more: i64) {
        self.working.inc_by(more);
    }

    /// Counts the usage of a model call.
    pub(crate) fn spent(&self, model: &str, client: &str, progress: &Progress) {
        let Progress::Spent { usage, cost_usd } = progress else {
            return;
        };
        let with_client = || {
            let mut labels = of_model(model);
            labels.push(("client", client.to_owned()));
            labels
        };
        if let Some(Usage {
            input_tokens,
            output_tokens,
            ..
        }) = usage
        {
            for (kind, tokens) in [("input", *input_tokens), ("output", *output_tokens)] {
                let mut labels = with_client();
                labels.push(("kind", kind.to_owned()));
                self.tokens.get_or_create(&labels).inc_by(tokens);
            }
        }
        if let Some(cost) = cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0) {
            self.cost.get_or_create(&with_client()).inc_by(cost);
        }
    }

    /// Counts the agents and model calls of an answer.
    pub(crate) fn answered(&self, model: &str, answered: &AgentResult) {
        let labels = of_model(model);
        let (agents, calls) = (answered.stats.agents, answered.stats.llm_calls);
        self.agents.get_or_create(&labels).inc_by(u64::from(agents));
        self.llm_calls
            .get_or_create(&labels)
            .inc_by(u64::from(calls));
    }

    /// Returns all metrics as text.
    pub(crate) fn text(&self, waiting: usize) -> String {
        self.waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn of_model(model: &str) -> Labels {
    vec![("model", model.to_owned())]
}
