//! Reports the usage of an abandoned or failed request.

use serde_json::Value;

use super::parsed_response::Assembly;
use super::tokens;
use super::wire::Wire;
use crate::model::{Usage, lenient_json};
use crate::provider::{CallEvent, CallSink, Request, Response};

/// A request in progress and the part of its response received so far. If it is dropped before
/// [`take`](Self::take), because of an error or because the caller stopped waiting, it bills what
/// was received. If nothing was received and the server may still be processing the request, it
/// bills the expected usage.
pub(super) struct PendingResponse<'a> {
    pub assembly: Box<dyn Assembly>,
    wire: Wire,
    request: &'a Request,
    calls: &'a dyn CallSink,
    open: bool,
    /// Expected usage; `None` once it is known that the server will not respond.
    expected: Option<Usage>,
}

impl<'a> PendingResponse<'a> {
    pub fn new(wire: Wire, request: &'a Request, calls: &'a dyn CallSink, expected: Usage) -> Self {
        Self {
            assembly: wire.assembly(),
            wire,
            request,
            calls,
            open: true,
            expected: Some(expected),
        }
    }

    /// Returns the response received so far, like [`Assembly::whole`], with split surrogate pairs
    /// joined.
    pub fn whole(&self, complete: bool) -> Option<Value> {
        self.assembly.whole(complete).map(lenient_json::join)
    }

    /// Records that the server no longer processes the request, so that only what was received is
    /// billed.
    pub const fn end(&mut self) {
        self.expected = None;
    }

    /// Records that a response has arrived completely. If it cannot be parsed, its length is billed
    /// instead of the expected usage.
    pub fn arrived(&mut self, text: &str) {
        let response = Response {
            text: text.to_owned(),
            ..Response::default()
        };
        let arrived = tokens::estimate(self.request, &response);
        self.expected = self.expected.map(|_| arrived);
    }

    /// Returns the sink for usage. From now on, the caller reports the usage.
    pub const fn take(&mut self) -> &'a dyn CallSink {
        self.open = false;
        self.calls
    }
}

impl Drop for PendingResponse<'_> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let body = self.whole(false).unwrap_or_default();
        let read = self.wire.read(&body);
        let response = read.map(|answer| answer.response).unwrap_or_default();
        let bill = self.wire.bill(&body);
        let is_silent = bill.is_none() && !says_anything(&response);
        let (counted, cost_usd) = bill.unzip();
        let usage = match self.expected {
            Some(expected) if is_silent => expected,
            // Nothing was received, and the server does not process the request.
            None if is_silent => return,
            _ => used(counted, self.request, &response),
        };
        self.calls.note(CallEvent::Billed {
            usage,
            cost_usd: cost_usd.flatten(),
        });
    }
}

fn says_anything(response: &Response) -> bool {
    !response.text.is_empty() || response.reasoning.is_some() || !response.tool_calls.is_empty()
}

/// Returns the usage of an incomplete response. The server may have counted the input at the
/// beginning; the rest is estimated.
pub(super) fn used(counted: Option<Usage>, request: &Request, response: &Response) -> Usage {
    let estimate = tokens::estimate(request, response);
    let Some(counted) = counted.filter(|counted| counted.input_tokens > 0) else {
        return estimate;
    };
    Usage {
        output_tokens: counted.output_tokens.max(estimate.output_tokens),
        reasoning_tokens: counted.reasoning_tokens.max(estimate.reasoning_tokens),
        estimated: true,
        ..counted
    }
}
