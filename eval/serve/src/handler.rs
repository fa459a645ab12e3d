//! Handles a parsed request for both interfaces: its place in the queue, its agent, its stream and
//! its metrics.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::response::{IntoResponse, Response};
use model::Status;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::admission::{AdmissionQueue, QueueTicket};
use super::agents::{AgentResult, Agents, OnProgress, Progress, Question, Rejection};
use super::error::{ApiError, json_response};
use super::events::{self, Frames, comment};
use super::interface::{Head, Interface};
use super::keys::Client;
use super::metrics::Metrics;
use super::request::Show;

/// Maximum silence of a stream; proxies treat a longer silence as a broken connection.
const SILENCE: Duration = Duration::from_secs(15);

/// State shared by all requests.
pub(crate) struct RequestHandler {
    pub agents: Arc<dyn Agents>,
    pub admission: AdmissionQueue,
    pub metrics: Arc<Metrics>,
    pub phase: watch::Sender<Phase>,
}

/// Phase of the server's lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// The server accepts requests.
    Open,
    /// The server rejects new requests and finishes the current ones.
    Draining,
    /// The server stops the remaining requests.
    Stopping,
}

/// A parsed question and its client.
pub(crate) struct ParsedRequest {
    pub client: Arc<Client>,
    pub model: String,
    pub question: Question,
    pub ignored: Vec<String>,
    pub is_stream: bool,
    /// Format of progress reports in a stream.
    pub show: Show,
    /// Counts toward the client's concurrent requests until the agent has ended.
    pub permit: Option<OwnedSemaphorePermit>,
}

impl RequestHandler {
    /// Answers a question through an interface.
    pub(crate) async fn answer<I: Interface>(
        self: &Arc<Self>,
        asked: ParsedRequest,
        mut interface: I,
    ) -> Response {
        let mut watched = RequestMetrics::new(self, &asked);
        let place = match self.place(&asked, I::MESSAGES) {
            Ok(place) => place,
            Err(error) => return watched.refuse(error),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        interface.set_head(Head {
            id: format!("{:032x}", rand::random::<u128>()),
            created: now.unwrap_or_default().as_secs(),
            model: asked.model.clone(),
            ignored: asked.ignored.clone(),
        });
        if asked.is_stream {
            let (frames, received) = mpsc::unbounded_channel();
            let handler = Arc::clone(self);
            let mut task = JoinSet::new();
            task.spawn(async move {
                handler
                    .stream(asked, place, interface, frames, watched)
                    .await;
            });
            return events::response(received, task);
        }
        match self.work(asked, place, Arc::new(|_| {})).await {
            Ok(answered) => {
                watched.ended(200);
                json_response(&interface.whole(&answered))
            }
            Err(error) => watched.refuse(error),
        }
    }

    /// Checks that the request can be answered, and adds it to the queue. `param` is the request
    /// field with the messages.
    fn place(&self, asked: &ParsedRequest, param: &str) -> Result<QueueTicket, ApiError> {
        if *self.phase.borrow() != Phase::Open {
            return Err(ApiError::stopping());
        }
        self.agents
            .check(&asked.model, &asked.question)
            .map_err(|problem| ApiError::invalid(param, problem))?;
        self.admission.enter()
    }

    async fn stream(
        &self,
        asked: ParsedRequest,
        place: QueueTicket,
        mut interface: impl Interface,
        frames: mpsc::UnboundedSender<String>,
        mut watched: RequestMetrics,
    ) {
        // If the client disconnects, the receiver is dropped and this task is aborted.
        let send = |all: Vec<String>| all.into_iter().for_each(|one| drop(frames.send(one)));
        send(interface.begin());
        let show = asked.show;
        let (reports, mut reported) = mpsc::unbounded_channel();
        let on_progress: OnProgress = Arc::new(move |progress| drop(reports.send(progress)));
        let work = self.work(asked, place, on_progress);
        tokio::pin!(work);
        let mut quiet = interval(SILENCE);
        quiet.set_missed_tick_behavior(MissedTickBehavior::Delay);
        quiet.reset();
        let ended = loop {
            tokio::select! {
                biased;
                Some(progress) = reported.recv() => {
                    send(shown(&progress, show, &mut interface));
                    quiet.reset();
                }
                ended = &mut work => break ended,
                _ = quiet.tick() => send(vec![comment("still working")]),
            }
        };
        // Send the progress reported just before the end.
        while let Ok(progress) = reported.try_recv() {
            send(shown(&progress, show, &mut interface));
        }
        match ended {
            Ok(answered) => {
                watched.ended(200);
                send(interface.end(&answered));
            }
            Err(error) => {
                watched.ended(error.status().as_u16());
                send(interface.failed(&error));
            }
        }
    }

    /// Waits for the request's turn, then for the agent.
    async fn work(
        &self,
        asked: ParsedRequest,
        place: QueueTicket,
        on_progress: OnProgress,
    ) -> Result<AgentResult, ApiError> {
        let ParsedRequest {
            client,
            model,
            question,
            permit,
            ..
        } = asked;
        let mut phase = self.phase.subscribe();
        let stopping = async {
            // This cannot fail, because the sender lives as long as `self`.
            let _ = phase.wait_for(|phase| *phase == Phase::Stopping).await;
        };
        let work = async {
            let Some(_turn) = place.turn().await else {
                return Err(ApiError::stopping());
            };
            // Stopped requests make room for waiting ones, which must not begin.
            if *self.phase.borrow() == Phase::Stopping {
                return Err(ApiError::stopping());
            }
            let _working = Working::new(self);
            // Spending is recorded as it occurs, so that a stopped agent's spending counts.
            let (name, of_client) = (model.clone(), client.name.clone());
            let metrics = Arc::clone(&self.metrics);
            let forward: OnProgress = Arc::new(move |progress| {
                metrics.spent(&name, &of_client, &progress);
                on_progress(progress);
            });
            let answered = self.agents.answer(&model, question, &client, forward).await;
            match answered {
                Ok(answered) => self.result(&model, answered),
                Err(Rejection::OutOfBudget(message)) => Err(ApiError::out_of_budget(message)),
                Err(Rejection::Unavailable(message)) => Err(ApiError::unavailable(message)),
            }
        };
        let ended = tokio::select! {
            ended = work => ended,
            () = stopping => Err(ApiError::stopping()),
        };
        drop(permit);
        ended
    }

    fn result(&self, model: &str, answered: AgentResult) -> Result<AgentResult, ApiError> {
        self.metrics.answered(model, &answered);
        let why = || answered.error.clone().unwrap_or_default();
        match answered.status {
            Status::Ok | Status::Limit => Ok(answered),
            Status::Error => Err(ApiError::failed(why())),
            Status::Cancelled => Err(ApiError::unavailable(why())),
        }
    }
}

/// Returns the events for a progress report.
fn shown(progress: &Progress, show: Show, interface: &mut impl Interface) -> Frames {
    match (progress, show) {
        (Progress::Step(line), Show::Reasoning) => interface.step(line),
        (Progress::Step(line), Show::Comments) => vec![comment(line)],
        (Progress::Step(_), Show::Nothing) | (Progress::Spent { .. }, _) => Frames::new(),
    }
}

/// Counts an agent as working until dropped.
struct Working<'a>(&'a RequestHandler);

impl<'a> Working<'a> {
    fn new(handler: &'a RequestHandler) -> Self {
        handler.metrics.works(1);
        Self(handler)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.metrics.works(-1);
    }
}

/// Counts a request when it ends. If this value is dropped earlier, the client has disconnected.
struct RequestMetrics {
    handler: Arc<RequestHandler>,
    model: String,
    client: String,
    began: Instant,
    is_over: bool,
}

impl RequestMetrics {
    fn new(handler: &Arc<RequestHandler>, asked: &ParsedRequest) -> Self {
        Self {
            handler: Arc::clone(handler),
            model: asked.model.clone(),
            client: asked.client.name.clone(),
            began: Instant::now(),
            is_over: false,
        }
    }

    fn ended(&mut self, status: u16) {
        self.is_over = true;
        let took = self.began.elapsed();
        let (model, client) = (&self.model, &self.client);
        self.handler.metrics.ended(model, client, status, took);
    }

    fn refuse(&mut self, error: ApiError) -> Response {
        self.ended(error.status().as_u16());
        error.into_response()
    }
}

impl Drop for RequestMetrics {
    fn drop(&mut self) {
        /// Status code for disconnected clients, as used by nginx.
        const CLIENT_CLOSED: u16 = 499;
        if !self.is_over {
            self.ended(CLIENT_CLOSED);
        }
    }
}
