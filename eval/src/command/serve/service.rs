//! Implements [`Agents`] with an engine for each agent that clients can call.
//!
//! From its first question on, an agent also has a run directory, which records every question as
//! an attempt at a separate sample.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::{MAX_IMAGES, decode_data_url};
use harness::model::{Image, Status};
use harness::{Budget, Engine, HaltReason, SharedBudget, Task};
use parking_lot::Mutex;
use serve::{AgentResult, Agents, Client, Offer, OnProgress, Question, Rejection};

use super::recorder::Recorder;
use super::settings::ServedSettings;
use crate::command::run::engine;
use crate::error::Error;
use crate::settings::EngineSettings;

/// The served agents.
pub struct Service {
    agents: Vec<ServedAgent>,
    offers: Vec<Offer>,
    budget: SharedBudget,
    clients: Mutex<HashMap<String, SharedBudget>>,
}

/// An agent and the name that clients use for it.
struct ServedAgent {
    name: String,
    settings: EngineSettings,
    log_dir: PathBuf,
    /// Number of sandboxes kept ready.
    ready: usize,
    engine: Mutex<Arc<Engine>>,
    /// `None` before the first question.
    recorder: Mutex<Option<Arc<Recorder>>>,
}

impl Service {
    /// Opens all models and starts the sandboxes to be kept ready, without sending requests or
    /// writing files.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    ///
    /// # Errors
    /// [`Error`] for a model that cannot be opened or contradictory settings.
    pub fn open(settings: &ServedSettings) -> Result<Self, Error> {
        let mut agents = Vec::new();
        let mut offers = Vec::new();
        for (name, description, engine) in &settings.agents {
            offers.push(Offer {
                name: name.clone(),
                description: description.clone(),
            });
            agents.push(ServedAgent {
                name: name.clone(),
                engine: Mutex::new(open_engine(engine, settings.ready)?),
                settings: engine.clone(),
                log_dir: settings.log_dir.clone(),
                ready: settings.ready,
                recorder: Mutex::default(),
            });
        }
        Ok(Self {
            agents,
            offers,
            budget: SharedBudget::of_command(settings.budget),
            clients: Mutex::default(),
        })
    }

    /// Finishes the run directories and returns their paths. Blocks until they are written.
    ///
    /// # Errors
    /// [`Error::RunDir`] for the first folder that could not be finished.
    pub fn finish(&self) -> Result<Vec<PathBuf>, Error> {
        let mut folders = Vec::new();
        for agent in &self.agents {
            if let Some(recorder) = agent.recorder.lock().take() {
                recorder.finish()?;
                folders.push(recorder.dir().to_owned());
            }
        }
        Ok(folders)
    }

    /// Returns the budget of a client. Its spending also counts against the server's budget.
    fn budget_of(&self, client: &Client) -> SharedBudget {
        let mut clients = self.clients.lock();
        clients
            .entry(client.name.clone())
            .or_insert_with(|| self.budget.of_client(client.budget))
            .clone()
    }
}

fn open_engine(settings: &EngineSettings, ready: usize) -> Result<Arc<Engine>, Error> {
    let (engine, _) = engine::open(settings, None, None)?;
    engine.keep_ready(ready);
    Ok(Arc::new(engine))
}

impl ServedAgent {
    /// Returns the engine. Replaces an engine that was halted by a failure such as a rejected key,
    /// because the failure may be temporary.
    fn engine(&self) -> Result<Arc<Engine>, Rejection> {
        let mut engine = self.engine.lock();
        if let Some(HaltReason::Failing(_)) = engine.halt_reason() {
            let fresh = open_engine(&self.settings, self.ready);
            *engine = fresh.map_err(|error| Rejection::Unavailable(error.to_string()))?;
        }
        Ok(Arc::clone(&engine))
    }

    /// Returns the recorder, creating it for the first question.
    fn recorder(&self, engine: &Engine) -> Result<Arc<Recorder>, Rejection> {
        let unavailable = |error: &dyn std::fmt::Display| {
            Rejection::Unavailable(format!("cannot write trajectories: {error}"))
        };
        let mut recorder = self.recorder.lock();
        let begun = if let Some(begun) = recorder.as_ref() {
            Arc::clone(begun)
        } else {
            let begun =
                Recorder::begin("served", &self.name, &self.settings, &self.log_dir, engine);
            let begun = Arc::new(begun.map_err(|error| unavailable(&error))?);
            *recorder = Some(Arc::clone(&begun));
            begun
        };
        match begun.failure() {
            Some(failure) => Err(unavailable(&failure)),
            None => Ok(begun),
        }
    }
}

/// Decodes the images of a question.
fn read_images(question: &Question) -> Result<Vec<Image>, String> {
    if question.images.len() > MAX_IMAGES {
        let (count, most) = (question.images.len(), MAX_IMAGES);
        return Err(format!(
            "{count} images exceed the maximum of {most} in a question"
        ));
    }
    let read = question.images.iter().map(|url| decode_data_url(url));
    let read: Result<Vec<_>, _> = read.collect();
    read.map_err(|error| error.to_string())
}

#[async_trait]
impl Agents for Service {
    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn check(&self, _offer: &str, question: &Question) -> Result<(), String> {
        read_images(question).map(drop)
    }

    async fn answer(
        &self,
        offer: &str,
        question: Question,
        client: &Client,
        progress: OnProgress,
    ) -> Result<AgentResult, Rejection> {
        let request = self.request(client, question.limits)?;
        self.answer_within(offer, question, &client.name, &request, progress)
            .await
    }
}

impl Service {
    /// Returns the budget of a client's request.
    ///
    /// # Errors
    /// [`Rejection::OutOfBudget`] if the budget of the client or the server is used up.
    pub fn request(&self, client: &Client, limits: Budget) -> Result<SharedBudget, Rejection> {
        let of_client = self.budget_of(client);
        match of_client.exhausted() {
            Some(error) => Err(Rejection::OutOfBudget(error.to_string())),
            None => Ok(of_client.of_request(limits)),
        }
    }

    /// Answers one question of a request within the budget `request`.
    ///
    /// # Errors
    /// [`Rejection`] if no agent was started, or if the engine's budget was used up before it had
    /// an answer.
    pub async fn answer_within(
        &self,
        offer: &str,
        question: Question,
        client: &str,
        request: &SharedBudget,
        progress: OnProgress,
    ) -> Result<AgentResult, Rejection> {
        let agent = self.agents.iter().find(|agent| agent.name == offer);
        let agent =
            agent.ok_or_else(|| Rejection::Unavailable(format!("unknown agent `{offer}`")))?;
        let engine = agent.engine()?;
        let recorder = agent.recorder(&engine)?;
        let images = read_images(&question).map_err(Rejection::Unavailable)?;
        let attempt = Recorder::attempt(&recorder, client, progress);
        let task = Task {
            run_id: recorder.run_id().to_owned(),
            sample: attempt.sample().to_owned(),
            attempt: 1,
            query: question.query,
            follow_ups: Vec::new(),
            context: Arc::new(question.context),
            images,
        };
        let outcome = engine.run_within(&task, attempt.sink(), request).await;
        attempt.end(&outcome);
        // Another question can halt the engine while the last call of this one is in progress.
        let halted = engine.halt_reason().filter(|_| outcome.answer.is_none());
        let status = match halted {
            Some(HaltReason::OverBudget(message)) => return Err(Rejection::OutOfBudget(message)),
            Some(HaltReason::Failing(_)) => Status::Error,
            None => outcome.status,
        };
        Ok(AgentResult {
            status,
            answer: outcome.answer,
            error: outcome.error,
            stats: outcome.stats,
            run: recorder.run_id().to_owned(),
            sample: task.sample,
        })
    }
}
