//! One request of an agent to its model: admission, sending, booking and recording.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::conversation::recent;
use super::{
    Attempt, BudgetExceeded, Conversation, Expense, Failure, HaltReason, Invocation, Ledger,
    Refusal, Reservation, Scope, Spent, Work,
};
use crate::journal::JournaledResponse;
use crate::model::{EventKind, Usage, WaitReason, ms};
use crate::provider::{CallEvent, CallSink, Caller, ProviderError, Request, Response};

/// A model's reply.
pub(crate) struct ModelReply {
    pub response: Response,
    /// Whether the response was cut off at the output token limit. If so, nothing in it may be run
    /// or used as an answer.
    pub truncated: bool,
}

/// Converts a complete or truncated response to a reply.
pub(super) fn reply(result: Result<Response, ProviderError>) -> Result<ModelReply, ProviderError> {
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
    /// Sends a conversation to the invocation's model and adds the reply to it.
    ///
    /// If the conversation exceeds the model's context window, it is shortened and sent again until
    /// it fits or nothing can be shortened.
    pub async fn ask(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<ModelReply, Failure> {
        conversation.next_turn();
        let mut recorded = false;
        let mut shortened = None;
        self.hook_new_messages(invocation, conversation).await?;
        self.compact_if_due(invocation, conversation).await?;
        self.take_inherited(invocation, conversation);
        if self.run.treatment.tools.shares_history() {
            let mut history_snapshot = invocation.history_snapshot.lock();
            *history_snapshot = conversation.messages().to_vec();
        }
        let reply = loop {
            let request = self.request(invocation, conversation);
            let request = self.hook_request(invocation, request).await?;
            // Responses from earlier processes and from caches need no reservation.
            let asked = self.journal.digest(&request, &mut conversation.digests);
            let earlier = self.recall(&request, &asked).await;
            let kept = match earlier {
                Some(_) => None,
                None => invocation.model.provider.recall(&request).await,
            };
            let forecast = match (&earlier, &kept) {
                (None, None) => invocation.model.provider.forecast(&request),
                _ => None,
            };
            let reservation = match (&earlier, &kept) {
                (None, None) => Some(self.admit(invocation, Expense::new(forecast, 1)).await?),
                _ => None,
            };
            // Recorded only now, because requests that are never sent are not recorded.
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
                        estimate: forecast.map(|forecast| forecast.likely),
                    },
                );
            }
            if let Some(shortened) = shortened.take() {
                self.records.emit(invocation, shortened);
            }
            self.records.count(|stats| stats.llm_calls += 1);
            let is_inherited = earlier
                .as_deref()
                .is_some_and(JournaledResponse::is_inherited);
            let result = match (earlier, kept) {
                (Some(earlier), _) => self.use_journaled_result(invocation, earlier).await,
                (None, Some(result)) => {
                    self.keep((&request, asked), true, 0.0, Vec::new(), &result)
                        .await;
                    self.use_cached_result(invocation, result).await
                }
                (None, None) => self.send(invocation, (&request, asked), reservation).await,
            };
            match result {
                Err(ProviderError::ContextOverflow { message }) => {
                    let Some(event) = self.shorten(invocation, conversation).await? else {
                        conversation.overflowed = true;
                        return Err(ProviderError::ContextOverflow { message }.into());
                    };
                    conversation.trims += 1;
                    self.records.count(|stats| stats.context_trims += 1);
                    // Recorded only after the shortened request is admitted, because it counts as
                    // another call.
                    shortened = Some(event);
                }
                Err(error) => return Err(error.into()),
                Ok(reply) => {
                    if request.looks_truncated(reply.response.usage) {
                        self.records.count(|stats| stats.cut_prompts += 1);
                    }
                    // The model of the forked attempt may be a different one.
                    if !is_inherited && let Some(served) = &reply.response.served_model {
                        self.run.note_served(&invocation.model, served);
                    }
                    break reply;
                }
            }
        };
        let mut message = reply.response.to_message();
        let keeps = self.settings(invocation).include_reasoning;
        if message.tool_calls.is_empty() && !keeps {
            message.reasoning_signature = None;
        }
        conversation.push(self.hook_message(invocation, message).await?);
        conversation.record_new();
        conversation.counted(reply.response.usage);
        Ok(reply)
    }

    /// Sends an admitted request, including the provider's retries. `digest` identifies the request
    /// in the journal.
    async fn send(
        &self,
        invocation: &Invocation,
        (request, digest): (&Request, String),
        reservation: Option<Reservation>,
    ) -> Result<ModelReply, ProviderError> {
        let asked = Instant::now();
        let notes = CallRecorder {
            attempt: self,
            invocation,
            work: self.meter.begin(),
            events: Mutex::default(),
            reservation: Mutex::new(reservation),
            refused: Mutex::default(),
        };
        let mut given_up = AbandonOnDrop {
            attempt: self,
            invocation,
            asked,
            is_open: true,
        };
        let result = invocation.model.provider.complete(request, &notes).await;
        given_up.is_open = false;
        let CallRecorder {
            work,
            events,
            reservation,
            refused,
            ..
        } = notes;
        drop(work);
        let calls = events.into_inner();
        let elapsed = ms(asked.elapsed());
        if !matches!(&result, Err(error) if error.ends_run()) {
            self.keep((request, digest), false, elapsed, calls, &result)
                .await;
        }
        let reply = match reply(result) {
            Ok(reply) => reply,
            Err(error) => {
                self.record_error(invocation, &error, elapsed);
                drop(reservation);
                self.stop_if_hopeless(&error).await;
                // If a budget prevented the retry, the budget's error replaces the request's error.
                if let Some(overdrawn) = refused.into_inner() {
                    return Err(self.over_budget(overdrawn).await);
                }
                return Err(error);
            }
        };
        let Response {
            usage, cost_usd, ..
        } = reply.response;
        self.settle(&invocation.ledger, usage, cost_usd);
        drop(reservation);
        self.record_response(invocation, reply, elapsed).await
    }

    /// Halts the run if, after this error, all other requests would also fail.
    pub(super) async fn stop_if_hopeless(&self, error: &ProviderError) {
        if error.ends_run() {
            let reason = HaltReason::Failing(error.to_string());
            self.halt_run(reason).await;
        }
    }

    /// Books the usage of a request and publishes the remaining budget.
    fn settle(&self, books: &Ledger, usage: Option<Usage>, cost_usd: Option<f64>) {
        books.add(Spent::new(usage, cost_usd, 0));
        self.publish_budget();
        self.records.count(|stats| stats.add_usage(usage, cost_usd));
    }

    /// Records an event of a call. The usage of a failed try is booked separately.
    pub(super) fn record_call_event(&self, invocation: &Invocation, event: CallEvent) {
        let kind = match event {
            CallEvent::Waiting { .. } => return,
            CallEvent::Waited { reason, duration } => EventKind::LlmWait {
                reason,
                ms: ms(duration),
            },
            CallEvent::Retried { error, delay } => {
                self.records.count(|stats| stats.retries += 1);
                EventKind::LlmRetry {
                    error: error.to_string(),
                    delay_ms: ms(delay),
                }
            }
            CallEvent::Billed { usage, cost_usd } => EventKind::LlmBilled { usage, cost_usd },
        };
        self.records.emit(invocation, kind);
    }

    pub(super) fn record_error(
        &self,
        invocation: &Invocation,
        error: &ProviderError,
        elapsed: f64,
    ) {
        self.records.emit(
            invocation,
            EventKind::LlmError {
                error: error.to_string(),
                ms: Some(elapsed),
            },
        );
    }

    /// Passes a response to the agent's hooks, records the result and returns it.
    pub(super) async fn record_response(
        &self,
        invocation: &Invocation,
        reply: ModelReply,
        elapsed: f64,
    ) -> Result<ModelReply, ProviderError> {
        let truncated = reply.truncated;
        let mut response = self.hook_response(invocation, reply.response).await?;
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
                request_id: response.request_id.clone(),
                finish_reason: response.finish_reason.clone(),
                truncated,
                ms: Some(elapsed),
            },
        );
        Ok(ModelReply {
            response,
            truncated,
        })
    }

    /// Reserves the expected expense of a call in all budgets. Waits while other calls in progress
    /// leave no room. Ends the attempt if the run cannot continue.
    async fn admit(
        &self,
        invocation: &Invocation,
        expense: Expense,
    ) -> Result<Reservation, ProviderError> {
        if let Some(reason @ HaltReason::Failing(_)) = self.run.halt.reason() {
            self.stop(reason).await;
        }
        let hold = match self.run.hold(expense).await {
            Ok(hold) => hold,
            Err(overdrawn) => return Err(self.over_budget(overdrawn).await),
        };
        let reservation = match invocation.ledger.try_reserve(expense) {
            Err(Refusal::Wait) => {
                let work = self.meter.begin();
                work.set_waiting(true);
                let began = Instant::now();
                let reserved = self.reserve_later(invocation, expense).await;
                let (reason, ms) = (WaitReason::Budget, ms(began.elapsed()));
                self.records
                    .emit(invocation, EventKind::LlmWait { reason, ms });
                reserved
            }
            Err(Refusal::BudgetExceeded(overdrawn)) => Err(overdrawn),
            Ok(reservation) => Ok(reservation),
        };
        let reservation = match reservation {
            Ok(reservation) => reservation,
            Err(overdrawn) => return Err(self.over_budget(overdrawn).await),
        };
        self.publish_budget();
        Ok(reservation.with_hold(hold))
    }

    /// Waits until a call fits or is refused. If the run is halted, ends the attempt.
    async fn reserve_later(
        &self,
        invocation: &Invocation,
        expense: Expense,
    ) -> Result<Reservation, BudgetExceeded> {
        tokio::select! {
            // Reserves first, because a call that fits takes precedence over the halt.
            biased;
            reserved = invocation.ledger.reserve(expense) => reserved,
            reason = self.run.halt.raised() => self.stop(reason).await,
        }
    }

    /// Returns the error of a budget that does not allow a call. If it is a budget of the run or
    /// sweep, halts the run and never returns.
    async fn over_budget(&self, overdrawn: BudgetExceeded) -> ProviderError {
        let BudgetExceeded { scope, error } = overdrawn;
        match scope {
            Scope::Client | Scope::Request | Scope::Attempt | Scope::Call => error,
            // An attempt that continued without calls would not reflect the agent's ability.
            Scope::Run | Scope::Sweep => {
                let reason = HaltReason::OverBudget(error.to_string());
                self.halt_run(reason).await
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
            // Sent only if the text of the response must be the answer.
            answer_schema: (invocation.schema.clone())
                .filter(|_| conversation.asks_for_answer && conversation.tools.is_off())
                .filter(|_| !invocation.plan.role.has_repl()),
            keep_reasoning: settings.include_reasoning,
            caller: Caller {
                sample: self.task.sample.clone(),
                attempt: self.task.attempt,
                invocation: invocation.id.clone(),
                role: invocation.plan.role,
                depth: invocation.plan.depth,
                turn: conversation.turn,
                trims: conversation.trims,
                mode: self.run.treatment.prompts.prompt_mode,
            },
        }
    }
}

/// Guard of a call in progress. If the guard is dropped before the response, it records the call as
/// an error; the provider still bills the call.
struct AbandonOnDrop<'a> {
    attempt: &'a Attempt<'a>,
    invocation: &'a Invocation,
    asked: Instant,
    is_open: bool,
}

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let kind = EventKind::LlmError {
                error: "cancelled: the caller stopped waiting".to_owned(),
                ms: Some(ms(self.asked.elapsed())),
            };
            self.attempt.records.emit(self.invocation, kind);
        }
    }
}

/// Records the events of a call in the attempt's events, statistics and time breakdown.
struct CallRecorder<'a> {
    attempt: &'a Attempt<'a>,
    invocation: &'a Invocation,
    work: Work<'a>,
    /// Events for the journal.
    events: Mutex<Vec<CallEvent>>,
    reservation: Mutex<Option<Reservation>>,
    /// Error of the budget that prevented a retry, if any.
    refused: Mutex<Option<BudgetExceeded>>,
}

#[async_trait]
impl CallSink for CallRecorder<'_> {
    fn note(&self, event: CallEvent) {
        let attempt = self.attempt;
        if !matches!(event, CallEvent::Waiting { .. }) {
            self.events.lock().push(event.clone());
        }
        match &event {
            CallEvent::Waiting { .. } => self.work.set_waiting(true),
            CallEvent::Waited { .. } => self.work.set_waiting(false),
            CallEvent::Retried { .. } => {}
            CallEvent::Billed { usage, cost_usd } => {
                attempt.settle(&self.invocation.ledger, Some(*usage), *cost_usd);
            }
        }
        attempt.record_call_event(self.invocation, event);
    }

    /// Releases the reservation before making a new one, so that two calls cannot wait for each
    /// other.
    async fn may_send_again(&self) -> bool {
        let Some(reservation) = self.reservation.lock().take() else {
            return true;
        };
        let expense = reservation.expense().of_retry();
        drop(reservation);
        let run = self.attempt.run;
        match run.reserve(&self.invocation.ledger, expense).await {
            Ok(reservation) => {
                *self.reservation.lock() = Some(reservation);
                true
            }
            Err(overdrawn) => {
                *self.refused.lock() = Some(overdrawn);
                false
            }
        }
    }
}
