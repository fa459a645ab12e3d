//! What the server needs of whoever runs agents: the names that clients may ask for, and an answer to a question.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use model::{Status, Usage};

/// A name that clients can use as `model`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name: `rlm/openai/gpt-5-mini`.
    pub name: String,
    /// What it runs, in one line for people.
    pub description: String,
}

/// What a client asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// What the agent is to do.
    pub query: String,
    /// The data that it works on.
    pub context: String,
    /// Images that belong to the query, as data URLs.
    pub images: Vec<String>,
    /// What this answer may take, beside what the server and its clients may.
    pub limits: Limits,
}

/// What may be spent. `None` means that nothing here limits it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Requests to models.
    pub llm_calls: Option<u64>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Asker {
    /// The name that the server's settings give the client.
    pub client: String,
    /// What all requests of the client together may spend.
    pub budget: Limits,
}

/// What an agent reports while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// What is happening, in a line for people. It may hold text of a model.
    Step(String),
    /// A call of a model took this.
    Spent {
        /// Tokens.
        usage: Option<Usage>,
        /// US dollars; none if unknown.
        cost_usd: Option<f64>,
    },
}

/// How an agent ended. All figures are of its whole tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// How.
    pub status: Status,
    /// The answer.
    pub answer: Option<String>,
    /// Why there is none, or why it is the last one within a limit.
    pub error: Option<String>,
    /// Tokens; none if no response carries a count.
    pub usage: Option<Usage>,
    /// US dollars; none if the cost of any call is unknown.
    pub cost_usd: Option<f64>,
    /// Agents, the root and one-shot calls included.
    pub agents: u32,
    /// Depth of the deepest agent.
    pub depth_reached: u32,
    /// Iterations of the root.
    pub iterations: u32,
    /// Requests to models.
    pub llm_calls: u32,
    /// The run directory that holds the trajectory.
    pub run: String,
    /// The sample of that run.
    pub sample: String,
}

/// Why a question was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The client, or the server, has spent all that it may.
    #[error("{0}")]
    OutOfBudget(String),
    /// Nobody can answer now.
    #[error("{0}")]
    Unavailable(String),
}

/// Takes what an agent reports.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Runs agents.
#[async_trait]
pub trait Agents: Send + Sync + 'static {
    /// The names that clients can ask for.
    fn offers(&self) -> &[Offer];

    /// Checks what can be checked of a question before it waits for its turn.
    ///
    /// # Errors
    /// A sentence about what of it the agent cannot take.
    fn check(&self, offer: &str, question: &Question) -> Result<(), String>;

    /// Answers a question. Dropping the future stops the agent.
    ///
    /// # Errors
    /// [`Refused`] if no agent was started.
    async fn answer(
        &self,
        offer: &str,
        question: Question,
        asker: &Asker,
        progress: OnProgress,
    ) -> Result<Answered, Refused>;
}
