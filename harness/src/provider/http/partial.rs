//! A request under way: if it is given up, what it has used by then is billed.

use serde_json::Value;

use super::tokens;
use super::wire::{Assembly, Wire};
use crate::model::{Usage, lenient_json};
use crate::provider::{CallEvent, CallSink, Request, Response};

/// A request, and its streamed response as far as it came. Dropped before it is [`taken`](Self::take), by an error or
/// because nobody waits for it any more, it bills what came. If nothing came and the server may be at work all the same, it
/// bills what such a request is expected to take.
pub(super) struct Partial<'a> {
    pub assembly: Box<dyn Assembly>,
    wire: Wire,
    request: &'a Request,
    calls: &'a dyn CallSink,
    open: bool,
    /// None where the server has said that it gives no response.
    expected: Option<Usage>,
}

impl<'a> Partial<'a> {
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

    /// The response as far as it came, like [`Assembly::whole`]. Surrogate pairs that the stream split are joined.
    pub fn whole(&self, complete: bool) -> Option<Value> {
        self.assembly.whole(complete).map(lenient_json::join)
    }

    /// The server is at work no more: only what came is billed from here on.
    pub const fn end(&mut self) {
        self.expected = None;
    }

    /// A response arrived as this text. If it cannot be read, the text is billed instead of a response of the expected
    /// length.
    pub fn arrived(&mut self, text: &str) {
        let response = Response {
            text: text.to_owned(),
            ..Response::default()
        };
        let arrived = tokens::estimate(self.request, &response);
        self.expected = self.expected.map(|_| arrived);
    }

    /// Leaves the report of what was used to the caller, and returns where to report it.
    pub const fn take(&mut self) -> &'a dyn CallSink {
        self.open = false;
        self.calls
    }
}

impl Drop for Partial<'_> {
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
            // Nothing is known to have been used.
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

/// What a response used that did not come to its end. Its tokens were never counted to the end: the input's are the
/// server's where it said them at the beginning, the rest is an estimate.
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
