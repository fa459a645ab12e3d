//! Interface between the server and the agents: the model names that clients may request, and how
//! questions are checked and answered.

use std::sync::Arc;

use async_trait::async_trait;
use model::{Budget, Stats, Status, Usage};

use super::keys::Client;

/// A name that clients can use as `model`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name: `rlm/openai/gpt-5-mini`.
    pub name: String,
    /// One-line description of the agent for people.
    pub description: String,
}

/// A client's question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Task of the agent.
    pub query: String,
    /// Data that the agent works on.
    pub context: String,
    /// Images that belong to the query, as data URLs.
    pub images: Vec<String>,
    /// Limits for this question, in addition to those of the server and the client.
    pub limits: Budget,
}

/// Progress report of a working agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// One-line description of a step, for people. It may contain model output.
    Step(String),
    /// Usage of a model call.
    Spent {
        /// Tokens; `None` if unknown.
        usage: Option<Usage>,
        /// Cost in US dollars; `None` if unknown.
        cost_usd: Option<f64>,
    },
}

/// Result of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentResult {
    /// How the agent ended.
    pub status: Status,
    /// Answer of the agent.
    pub answer: Option<String>,
    /// Reason why there is no answer, or the limit that ended the agent.
    pub error: Option<String>,
    /// Resources used by its whole tree of agents.
    pub stats: Stats,
    /// Run directory that contains the trajectory.
    pub run: String,
    /// Id of the sample in that run.
    pub sample: String,
}

/// Reason why a question was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The budget of the client or the server is used up.
    #[error("{0}")]
    OutOfBudget(String),
    /// No agent can answer now.
    #[error("{0}")]
    Unavailable(String),
}

/// Callback for the progress of an agent.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Answers clients' questions by running agents.
#[async_trait]
pub trait Agents: Send + Sync + 'static {
    /// Returns the names that clients can request.
    fn offers(&self) -> &[Offer];

    /// Checks a question before it is queued, without starting an agent.
    ///
    /// # Errors
    /// Returns a sentence that describes what the agent does not accept.
    fn check(&self, offer: &str, question: &Question) -> Result<(), String>;

    /// Answers a question. Dropping the future stops the agent.
    ///
    /// # Errors
    /// Returns [`Rejection`] if no agent was started.
    async fn answer(
        &self,
        offer: &str,
        question: Question,
        client: &Client,
        progress: OnProgress,
    ) -> Result<AgentResult, Rejection>;
}
