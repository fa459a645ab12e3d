//! Agents that answer by rule, without models.

use async_trait::async_trait;
use http_fixture::{Events, Gate};
use model::{Budget, Stats, Status, Usage};
use serde_json::{Value, json};
use serve::{AgentResult, Agents, Client, Offer, OnProgress, Progress, Question, Rejection};

/// Name that clients request.
pub const MODEL: &str = "rlm/scripted:echo";

/// What an agent was asked when it began.
#[derive(Debug, PartialEq)]
pub struct AgentStart {
    pub offer: String,
    pub question: Question,
    pub client: String,
    pub budget: Budget,
}

/// Agents whose query begins with the rule that they follow: `wait`, `fail`, `limit`, `cancel`,
/// `over-budget` or `unavailable`. Other agents repeat their context or, without one, their query.
pub struct EchoAgents {
    offers: Vec<Offer>,
    pub gate: Gate<AgentStart>,
}

impl EchoAgents {
    pub fn new() -> (Self, Events<AgentStart>) {
        let (gate, events) = Gate::new();
        let offer = |name: &str, description: &str| Offer {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let offers = vec![
            offer(MODEL, "Repeats the question"),
            offer("rlm-coordinator/echo", "Lets others repeat it"),
        ];
        (Self { offers, gate }, events)
    }
}

#[async_trait]
impl Agents for EchoAgents {
    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn check(&self, _: &str, question: &Question) -> Result<(), String> {
        match question.images.iter().find(|url| url.contains("bmp")) {
            Some(url) => Err(format!("not a supported image: {url}")),
            None => Ok(()),
        }
    }

    async fn answer(
        &self,
        offer: &str,
        question: Question,
        client: &Client,
        progress: OnProgress,
    ) -> Result<AgentResult, Rejection> {
        let work = self.gate.begin(AgentStart {
            offer: offer.to_owned(),
            question: question.clone(),
            client: client.name.clone(),
            budget: client.budget,
        });
        let usage = Some(Usage {
            input_tokens: 100,
            cached_input_tokens: 30,
            output_tokens: 20,
            reasoning_tokens: 5,
            ..Usage::default()
        });
        let cost_usd = Some(0.001);
        progress(Progress::Step("root: iteration 1".to_owned()));
        progress(Progress::Spent { usage, cost_usd });
        progress(Progress::Step("root: two\nlines".to_owned()));
        let rule = question.query.split(' ').next().unwrap();
        if rule == "wait" {
            work.wait().await;
        }
        work.end();
        let answer = if question.context.is_empty() {
            format!("asked: {}", question.query)
        } else {
            format!("context: {}", question.context)
        };
        let (status, answer, error) = match rule {
            "over-budget" => return Err(Rejection::OutOfBudget("no dollars left".to_owned())),
            "unavailable" => return Err(Rejection::Unavailable("all are asleep".to_owned())),
            "fail" => (Status::Error, None, Some("no more")),
            "limit" => (Status::Limit, Some("partial".to_owned()), Some("too slow")),
            "cancel" => (Status::Cancelled, None, Some("called off")),
            _ => (Status::Ok, Some(answer), None),
        };
        Ok(AgentResult {
            status,
            answer,
            error: error.map(str::to_owned),
            stats: Stats {
                usage,
                known_cost_usd: cost_usd,
                agents: 3,
                depth_reached: 1,
                iterations: 2,
                llm_calls: 4,
                ..Stats::default()
            },
            run: "results/one".to_owned(),
            sample: "request-000001".to_owned(),
        })
    }
}

/// Returns a question as JSON; limits that are not set are omitted.
pub fn to_json(question: &Question) -> Value {
    let Question {
        query,
        context,
        images,
        limits,
    } = question;
    let mut shown = json!({"query": query, "context": context, "images": images});
    for (name, limit) in [
        ("cost_usd", limits.cost_usd.map(|cost| json!(cost))),
        ("tokens", limits.tokens.map(|tokens| json!(tokens))),
        ("llm_calls", limits.calls.map(|calls| json!(calls))),
        ("seconds", limits.time.map(|time| json!(time.as_secs_f64()))),
    ] {
        if let Some(limit) = limit {
            shown[name] = limit;
        }
    }
    shown
}
