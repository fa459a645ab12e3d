//! Scores with a model as judge, which decides whether an answer is correct.
//!
//! Invariant: a reply without a valid verdict never becomes a score. The judge is asked again, and
//! after the last invalid reply the result is an error.

mod prompt;
mod question;
mod verdict;

use std::sync::Arc;

use async_trait::async_trait;
use harness::model::{EventKind, Message, Role};
use harness::provider::{CallEvent, CallSink, Caller, Forecast, ProviderError, Request, Response};
use harness::settings::PromptMode;
use harness::{HaltReason, Model, Reservation, ToolUse};
use parking_lot::Mutex;
use records::JudgeUse;
use records::run_dir::Fingerprint;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use prompt::{JUDGE_ATTEMPTS, JudgePrompt};

use super::{Grade, Grader, JudgeLog, ScorableAnswer};

/// Message to a judge whose reply does not contain a valid verdict, with the placeholder
/// `<problem>`.
const AGAIN: &str = include_str!("judge/again.txt");

/// A model that judges answers.
pub struct Judge {
    model: Model,
    prompt: JudgePrompt,
    /// Maximum number of times that the judge is asked about one answer, at least 1.
    asked: u32,
    identity: Value,
    name: String,
}

impl Judge {
    /// Creates a judge; `model_identity` is everything about the model that can change a verdict.
    pub fn new(model: Model, prompt: JudgePrompt, asked: u32, model_identity: &Value) -> Self {
        let texts = [question::INTRODUCTION, question::REPLY, AGAIN].concat();
        let mut identity = json!({
            "judge": model_identity,
            "prompt": prompt.digest,
            "question": hex::encode(Sha256::digest(texts)),
        });
        if asked != JUDGE_ATTEMPTS {
            // A different number of tries can change which answers get a verdict.
            identity["attempts"] = asked.into();
        }
        let parts = [("judge".to_owned(), identity.clone())].into();
        let name = format!("judge/{}", &Fingerprint::from_parts(parts).as_str()[..12]);
        Self {
            model,
            prompt,
            asked,
            identity,
            name,
        }
    }

    /// Returns the cached response or asks the model. The flag says whether the response was
    /// cached.
    async fn ask(
        &self,
        request: &Request,
        used: &mut JudgeUse,
        log: &dyn JudgeLog,
    ) -> (Result<Response, ProviderError>, bool) {
        used.calls += 1;
        if let Some(kept) = self.model.provider.recall(request).await {
            return (kept, true);
        }
        let forecast = self.model.provider.forecast(request);
        let reservation = match log.admit(forecast).await {
            Ok(reservation) => reservation,
            Err(error) => {
                used.calls -= 1;
                return (Err(error), false);
            }
        };
        log.log(EventKind::JudgeRequest {
            estimate: forecast.map(|forecast| forecast.likely),
        });
        let tries = JudgeCallSink {
            used: Mutex::new(used),
            log,
            forecast,
            reservation: Mutex::new(reservation),
            refused: Mutex::default(),
        };
        let result = self.model.provider.complete(request, &tries).await;
        let refused = tries.refused.lock().take();
        let result = match (result, refused) {
            (Err(_), Some(refused)) => Err(refused),
            (result, _) => result,
        };
        log.log(match &result {
            Ok(response) => judge_response(response),
            Err(ProviderError::Truncated { response }) => judge_response(response),
            Err(error) => EventKind::JudgeError {
                error: error.to_string(),
            },
        });
        (result, false)
    }

    fn request(&self, answered: &ScorableAnswer<'_>, turn: u32, messages: &[Message]) -> Request {
        Request {
            model: self.model.name.clone(),
            system: self.prompt.text.clone(),
            messages: messages.iter().cloned().map(Arc::new).collect(),
            sampling: Arc::clone(&self.model.sampling),
            tools: ToolUse::default(),
            answer_schema: None,
            keep_reasoning: false,
            caller: Caller {
                sample: answered.sample.id.clone(),
                attempt: answered.attempt,
                invocation: "judge".to_owned(),
                role: Role::Judge,
                depth: 0,
                turn,
                trims: 0,
                mode: PromptMode::Solver,
            },
        }
    }
}

fn judge_response(response: &Response) -> EventKind {
    EventKind::JudgeResponse {
        usage: response.usage,
        cost_usd: response.cost_usd,
    }
}

/// Adds the usage of billed tries without a response to `used`, and reserves the expense of each
/// retry.
struct JudgeCallSink<'a> {
    used: Mutex<&'a mut JudgeUse>,
    log: &'a dyn JudgeLog,
    forecast: Option<Forecast>,
    reservation: Mutex<Option<Reservation>>,
    /// Budget error that prevented a retry, if any.
    refused: Mutex<Option<ProviderError>>,
}

#[async_trait]
impl CallSink for JudgeCallSink<'_> {
    fn note(&self, event: CallEvent) {
        if let CallEvent::Billed { usage, cost_usd } = event {
            let mut used = self.used.lock();
            used.add(Some(usage), cost_usd);
            self.log.log(EventKind::JudgeBilled { usage, cost_usd });
        }
    }

    async fn may_send_again(&self) -> bool {
        // Release the reservation first, so that two calls cannot wait for each other.
        drop(self.reservation.lock().take());
        match self.log.admit(self.forecast).await {
            Ok(reservation) => {
                *self.reservation.lock() = reservation;
                true
            }
            Err(refused) => {
                *self.refused.lock() = Some(refused);
                false
            }
        }
    }
}

#[async_trait]
impl Grader for Judge {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> Value {
        self.identity.clone()
    }

    async fn grade(&self, answered: &ScorableAnswer<'_>, log: &dyn JudgeLog) -> Grade {
        if answered.sample.query.trim().is_empty() {
            return Grade::failed(
                "a judge needs the question, but the attempt's trajectory does not contain it",
            );
        }
        let mut used = JudgeUse {
            model: self.model.reference.clone(),
            prompt: self.prompt.name.clone(),
            prompt_sha256: self.prompt.digest.clone(),
            calls: 0,
            cached_calls: 0,
            usage: None,
            cost_usd: Some(0.0),
        };
        let mut messages = vec![Message::user(question::of(answered))];
        let mut problem = String::new();
        for turn in 1..=self.asked {
            let request = self.request(answered, turn, &messages);
            let (result, is_kept) = self.ask(&request, &mut used, log).await;
            let response = match result {
                Ok(response) => response,
                // A truncated reply never counts as a verdict.
                Err(ProviderError::Truncated { response }) => Response {
                    text: String::new(),
                    ..*response
                },
                Err(error) => {
                    let message = format!("the judge gave no verdict: {error}");
                    let halts = match &error {
                        ProviderError::OverBudget { .. } => {
                            Some(HaltReason::OverBudget(error.to_string()))
                        }
                        _ if error.ends_run() => Some(HaltReason::Failing(error.to_string())),
                        _ => None,
                    };
                    return Grade {
                        halts,
                        judge: Some(used),
                        ..Grade::failed(message)
                    };
                }
            };
            if is_kept {
                used.cached_calls += 1;
            } else {
                used.add(response.usage, response.cost_usd);
            }
            match verdict::read(&response.text) {
                Ok(score) => {
                    return Grade {
                        judge: Some(used),
                        ..Grade::of(score)
                    };
                }
                Err(why) => problem = why,
            }
            messages.push(response.to_message());
            messages.push(Message::user(
                AGAIN.trim_end().replace("<problem>", &problem),
            ));
        }
        Grade {
            judge: Some(used),
            ..Grade::failed(format!(
                "the judge gave no verdict in {} replies; the last one was rejected: {problem}",
                self.asked
            ))
        }
    }
}
