//! Results of requests that are not sent: those of an earlier process, of the cache, and those that
//! a fork inherits.

use super::model_call::{ModelReply, reply};
use super::{Attempt, Conversation, Invocation, Ledger, Spent};
use crate::journal::{JournaledResponse, Matching, Recalled, RequestKey};
use crate::model::{EventKind, Usage, ms};
use crate::provider::{CallEvent, ProviderError, Request, Response};

impl Attempt<'_> {
    /// Replaces the new messages of an inherited request with the recorded ones, and adds the
    /// fork's note to the root's first new request.
    pub(super) fn take_inherited(&self, invocation: &Invocation, conversation: &mut Conversation) {
        let turn = conversation.turn;
        if let Some(messages) = self.journal.inherited_messages(&invocation.id, turn) {
            conversation.replace_new(messages);
        }
        if invocation.is_root()
            && let Some(note) = self.journal.note(turn)
        {
            conversation.add_note(note);
        }
    }

    /// Returns the result that an earlier process received for the same request, if any.
    pub(super) async fn recall(
        &self,
        request: &Request,
        asked: &str,
    ) -> Option<Box<JournaledResponse>> {
        if self.journal.responses() == 0 {
            return None;
        }
        let key = RequestKey::of(&request.caller);
        match self.journal.recall(&key, asked) {
            Recalled::Found(kept) => Some(kept),
            Recalled::Nothing => {
                self.journal.caught_up().await;
                None
            }
            Recalled::Other => {
                let (agent, turn) = (key.invocation, key.turn);
                let why = format!("request {turn} of {agent} differs from the recorded one");
                self.diverge(why).await
            }
        }
    }

    /// Writes the result of a request to the journal before the result is used.
    pub(super) async fn keep(
        &self,
        (request, asked): (&Request, String),
        cached: bool,
        elapsed: f64,
        calls: Vec<CallEvent>,
        result: &Result<Response, ProviderError>,
    ) {
        // Returns early without a journal, because cloning a long message or response is expensive.
        if !self.journal.is_kept() {
            return;
        }
        let caller = &request.caller;
        let written = self.journal.keep(JournaledResponse {
            invocation: caller.invocation.clone(),
            turn: caller.turn,
            trims: caller.trims,
            asked,
            at_ms: ms(self.records.passed()),
            ms: elapsed,
            cached,
            calls,
            result: result.clone(),
            messages: None,
            matching: Matching::default(),
        });
        self.written(written).await;
    }

    /// Uses a response or an error that an earlier process received. The run's ledger already
    /// includes its cost.
    pub(super) async fn use_journaled_result(
        &self,
        invocation: &Invocation,
        kept: Box<JournaledResponse>,
    ) -> Result<ModelReply, ProviderError> {
        if kept.cached {
            return self.use_cached_result(invocation, kept.result).await;
        }
        invocation.ledger.charge_attempt(Spent::new(None, None, 1));
        for event in kept.calls {
            if let CallEvent::Billed { usage, cost_usd } = &event {
                self.book_earlier(&invocation.ledger, Some(*usage), *cost_usd);
            }
            self.record_call_event(invocation, event);
        }
        let reply = match reply(kept.result) {
            Ok(reply) => reply,
            Err(error) => {
                self.record_error(invocation, &error, kept.ms);
                return Err(error);
            }
        };
        let Response {
            usage, cost_usd, ..
        } = reply.response;
        self.book_earlier(&invocation.ledger, usage, cost_usd);
        self.record_response(invocation, reply, kept.ms).await
    }

    /// Adds expenses of an earlier process to the ledgers of the call and the attempt. The run's
    /// ledger already includes them.
    fn book_earlier(&self, books: &Ledger, usage: Option<Usage>, cost_usd: Option<f64>) {
        books.charge_attempt(Spent::new(usage, cost_usd, 0));
        self.publish_budget();
        self.records.count(|stats| stats.add_usage(usage, cost_usd));
    }

    /// Books results of earlier processes that this process did not use, because it stopped their
    /// agents earlier or left out a failure.
    pub fn book_unused_results(&self) {
        for kept in self.journal.left().into_iter().filter(|kept| !kept.cached) {
            self.records.count(|stats| stats.llm_calls += 1);
            for event in &kept.calls {
                if let CallEvent::Billed { usage, cost_usd } = event {
                    self.book_earlier(&self.ledger, Some(*usage), *cost_usd);
                }
            }
            if let Ok(reply) = reply(kept.result) {
                let response = reply.response;
                self.book_earlier(&self.ledger, response.usage, response.cost_usd);
            }
        }
    }

    /// Uses a response or an error from a cache or recording.
    pub(super) async fn use_cached_result(
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
            stats.add_usage(usage, cost_usd);
        });
        self.records.emit(invocation, EventKind::LlmCached);
        self.record_response(invocation, reply, 0.0).await
    }
}
