//! One request of an agent to its model: admitted, sent, booked and recorded.

use std::sync::Arc;
use std::time::Instant;

use super::conversation::recent;
use super::{Attempt, Conversation, Failure, HaltReason, Invocation, Overdrawn, Scope, Work};
use crate::model::{EventKind, Usage, ms};
use crate::provider::{CallEvent, CallSink, Caller, ProviderError, Request, Response};

/// A model's reply.
pub(crate) struct ModelReply {
    pub response: Response,
    /// Whether the limit of output tokens cut it off: nothing of it is to be run or taken for an answer.
    pub truncated: bool,
}

/// A response, or one that was cut off, as a model's reply.
fn reply(result: Result<Response, ProviderError>) -> Result<ModelReply, ProviderError> {
    match result {
        Ok(response) => Ok(ModelReply {
            response,
            truncated: false,
        }),
        Err(ProviderError::Truncated { response }) => Ok(ModelReply {
            response: *response,
            truncated: true,
        }),
        Err(error) => Err(error),
    }
}

impl Attempt<'_> {
    /// Sends a conversation to the invocation's model and takes its answer into it.
    ///
    /// A conversation that outgrew the model's context is sent again without its older outputs, as long as there
    /// are any.
    pub async fn ask(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<ModelReply, Failure> {
        conversation.turn += 1;
        conversation.trims = 0;
        let mut recorded = false;
        let mut shortened = None;
        self.hook_new_messages(invocation, conversation).await?;
        if self.run.treatment.tools.shares_history() {
            let mut heard = invocation.heard.lock();
            *heard = conversation.messages().to_vec();
        }
        let reply = loop {
            let request = self.request(invocation, conversation);
            let request = self.hook_request(invocation, request).await?;
            // What is kept takes nothing from any budget.
            let kept = invocation.model.provider.recall(&request).await;
            if kept.is_none() {
                self.admit().await?;
            }
            // Only here: a request that was never sent is not recorded.
            if !recorded {
                recorded = true;
                self.records.emit(
                    invocation,
                    EventKind::LlmRequest {
                        new_messages: {
                            let mut new = conversation.record_new();
                            new.extend(conversation.tail.clone());
                            new
                        },
                        messages: u32::try_from(conversation.sent_len()).ok(),
                        estimate: match kept {
                            Some(_) => None,
                            None => invocation.model.provider.estimate(&request),
                        },
                    },
                );
            }
            if let Some(shortened) = shortened.take() {
                self.records.emit(invocation, shortened);
            }
            self.records.count(|stats| stats.llm_calls += 1);
            let result = match kept {
                Some(result) => self.take_kept(invocation, result).await,
                None => self.send(invocation, &request).await,
            };
            match result {
                Err(ProviderError::ContextOverflow { message }) => {
                    let Some(trimmed) = conversation.trim() else {
                        return Err(ProviderError::ContextOverflow { message }.into());
                    };
                    conversation.trims += 1;
                    self.records.count(|stats| stats.context_trims += 1);
                    // Recorded once it is admitted: it stands for another call.
                    shortened = Some(EventKind::ContextTrimmed {
                        messages: trimmed.messages,
                        chars: trimmed.chars,
                    });
                }
                other => break other?,
            }
        };
        let mut message = reply.response.to_message();
        let keeps = self.settings(invocation).include_reasoning;
        if message.tool_calls.is_empty() && !keeps {
            message.reasoning_signature = None;
        }
        conversation.push(self.hook_message(invocation, message).await?);
        conversation.record_new();
        Ok(reply)
    }

    /// One call that is admitted, retries of the provider included.
    async fn send(
        &self,
        invocation: &Invocation,
        request: &Request,
    ) -> Result<ModelReply, ProviderError> {
        let asked = Instant::now();
        let notes = Notes {
            attempt: self,
            invocation,
            work: self.meter.begin(),
        };
        let mut given_up = GivenUp {
            attempt: self,
            invocation,
            asked,
            is_open: true,
        };
        let result = invocation.model.provider.complete(request, &notes).await;
        given_up.is_open = false;
        drop(notes);
        let elapsed = ms(asked.elapsed());
        let reply = match reply(result) {
            Ok(reply) => reply,
            Err(error) => {
                self.record_error(invocation, &error, elapsed);
                self.stop_if_hopeless(&error).await;
                if error.is_transient() {
                    // It might have been sent again, had the budget had room for it.
                    self.within_budget(self.ledger.room()).await?;
                }
                return Err(error);
            }
        };
        let Response {
            usage, cost_usd, ..
        } = reply.response;
        self.settle(usage, cost_usd);
        self.record_response(invocation, reply, elapsed).await
    }

    /// A response, or the lack of one, from a cache.
    async fn take_kept(
        &self,
        invocation: &Invocation,
        result: Result<Response, ProviderError>,
    ) -> Result<ModelReply, ProviderError> {
        let reply = match reply(result) {
            Ok(reply) => reply,
            Err(error) => {
                self.record_error(invocation, &error, 0.0);
                self.stop_if_hopeless(&error).await;
                return Err(error);
            }
        };
        let Response {
            usage, cost_usd, ..
        } = reply.response;
        self.records.count(|stats| {
            stats.cached_calls += 1;
            if let Some(usage) = usage {
                *stats.cached_usage.get_or_insert_default() += usage;
            }
            stats.add_use(usage, cost_usd);
        });
        self.records.emit(invocation, EventKind::LlmCached);
        self.record_response(invocation, reply, 0.0).await
    }

    /// Ends the run if no other request of it can succeed either.
    async fn stop_if_hopeless(&self, error: &ProviderError) {
        if error.ends_run() {
            let reason = HaltReason::Failing(error.to_string());
            self.run.halt.raise(reason.clone());
            self.stop(reason).await;
        }
    }

    /// Books what a request used.
    fn settle(&self, usage: Option<Usage>, cost_usd: Option<f64>) {
        self.ledger.settle(usage, cost_usd);
        self.publish_budget();
        self.records.count(|stats| stats.add_use(usage, cost_usd));
    }

    fn record_error(&self, invocation: &Invocation, error: &ProviderError, elapsed: f64) {
        self.records.emit(
            invocation,
            EventKind::LlmError {
                error: error.to_string(),
                ms: Some(elapsed),
            },
        );
    }

    /// Records a response as its hooks leave it, and returns it.
    async fn record_response(
        &self,
        invocation: &Invocation,
        reply: ModelReply,
        elapsed: f64,
    ) -> Result<ModelReply, ProviderError> {
        let truncated = reply.truncated;
        let mut response = reply.response;
        if let Some(served) = &response.served_model {
            self.run.note_served(&invocation.model, served);
        }
        response = self.hook_response(invocation, response).await?;
        if self.settings(invocation).exclude_reasoning {
            response.reasoning = None;
        }
        self.records.emit(
            invocation,
            EventKind::LlmResponse {
                text: response.text.clone(),
                reasoning: response.reasoning.clone(),
                tool_calls: response.tool_calls.clone(),
                code: None,
                usage: response.usage,
                cost_usd: response.cost_usd,
                served_model: response.served_model.clone(),
                truncated,
                ms: Some(elapsed),
            },
        );
        Ok(ModelReply {
            response,
            truncated,
        })
    }

    /// Lets a call through if the run goes on and no budget is used up, and books it.
    async fn admit(&self) -> Result<(), ProviderError> {
        if let Some(reason @ HaltReason::Failing(_)) = self.run.halt.reason() {
            self.stop(reason).await;
        }
        self.within_budget(self.ledger.reserve()).await?;
        self.publish_budget();
        Ok(())
    }

    /// Goes on where a budget allows it. One of the run that does not ends the attempt here.
    async fn within_budget(&self, allowed: Result<(), Overdrawn>) -> Result<(), ProviderError> {
        match allowed {
            Ok(()) => Ok(()),
            Err(Overdrawn {
                scope: Scope::Attempt,
                error,
            }) => Err(error),
            // What an agent could still make of it would not be what it can do.
            Err(Overdrawn {
                scope: Scope::Run | Scope::Sweep,
                error,
            }) => {
                let reason = HaltReason::OverBudget(error.to_string());
                self.run.halt.raise(reason.clone());
                self.stop(reason).await
            }
        }
    }

    pub(crate) fn request(&self, invocation: &Invocation, conversation: &Conversation) -> Request {
        let settings = self.settings(invocation);
        Request {
            model: invocation.model.name.clone(),
            system: conversation.system.clone(),
            messages: recent(conversation.sent(), settings.recent_images),
            sampling: Arc::clone(&invocation.model.sampling),
            tools: conversation.tools.clone(),
            keep_reasoning: settings.include_reasoning,
            caller: Caller {
                sample: self.task.sample.clone(),
                attempt: self.task.attempt,
                invocation: invocation.id.clone(),
                role: invocation.role,
                depth: invocation.depth,
                turn: conversation.turn,
                trims: conversation.trims,
                mode: self.run.treatment.prompt_mode,
            },
        }
    }
}

/// A call that is under way. Dropped, it is given up, and that is recorded as its end; what it took, its provider bills.
struct GivenUp<'a> {
    attempt: &'a Attempt<'a>,
    invocation: &'a Invocation,
    asked: Instant,
    is_open: bool,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let kind = EventKind::LlmError {
                error: "given up: nobody waits for the response any more".to_owned(),
                ms: Some(ms(self.asked.elapsed())),
            };
            self.attempt.records.emit(self.invocation, kind);
        }
    }
}

/// Makes what happens to a call part of the attempt's events, figures and times.
struct Notes<'a> {
    attempt: &'a Attempt<'a>,
    invocation: &'a Invocation,
    work: Work<'a>,
}

impl CallSink for Notes<'_> {
    fn note(&self, event: CallEvent) {
        let attempt = self.attempt;
        match event {
            CallEvent::Waiting { .. } => self.work.set_waiting(true),
            CallEvent::Waited { reason, duration } => {
                self.work.set_waiting(false);
                let ms = ms(duration);
                attempt
                    .records
                    .emit(self.invocation, EventKind::LlmWait { reason, ms });
            }
            CallEvent::Retried { error, delay } => {
                attempt.records.count(|stats| stats.retries += 1);
                attempt.records.emit(
                    self.invocation,
                    EventKind::LlmRetry {
                        error: error.to_string(),
                        delay_ms: ms(delay),
                    },
                );
            }
            CallEvent::Billed { usage, cost_usd } => {
                attempt.settle(Some(usage), cost_usd);
                attempt
                    .records
                    .emit(self.invocation, EventKind::LlmBilled { usage, cost_usd });
            }
        }
    }

    fn may_send_again(&self) -> bool {
        self.attempt.ledger.room().is_ok()
    }
}
