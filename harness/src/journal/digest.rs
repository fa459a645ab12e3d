//! Digests of requests, by which a journal finds the response to a repeated one.

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::model::{Message, Sampling, ToolUse};
use crate::prompt::AnswerSchema;
use crate::provider::Request;

type Sum = [u8; 32];

/// Digests of the messages of one conversation. A message that is sent again is not read again, so
/// that the work grows with the messages and not with their square.
#[derive(Default)]
pub(crate) struct Digests {
    /// Messages of the last request, each with a digest of it and all messages before it.
    sent: Vec<(Arc<Message>, Sum)>,
}

impl Digests {
    /// Returns a digest of everything in a request that determines its response.
    pub fn of(&mut self, request: &Request) -> String {
        #[derive(Serialize)]
        struct Head<'a> {
            model: &'a str,
            system: &'a str,
            sampling: &'a Sampling,
            tools: &'a ToolUse,
            answer_schema: Option<&'a AnswerSchema>,
        }
        let pairs = self.sent.iter().zip(&request.messages);
        let same = pairs
            .take_while(|((before, _), now)| Arc::ptr_eq(before, now))
            .count();
        self.sent.truncate(same);
        for message in &request.messages[same..] {
            let mut sum = Sha256::new();
            if let Some((_, before)) = self.sent.last() {
                sum.update(before);
            }
            sum.update(json(message.as_ref()));
            self.sent.push((Arc::clone(message), sum.finalize().into()));
        }
        let mut sum = Sha256::new();
        if let Some((_, messages)) = self.sent.last() {
            sum.update(messages);
        }
        sum.update(json(&Head {
            model: &request.model,
            system: &request.system,
            sampling: &request.sampling,
            tools: &request.tools,
            answer_schema: request.answer_schema.as_ref(),
        }));
        hex::encode(sum.finalize())
    }
}

/// Serializes a part of a request. None of the parts can fail.
fn json(part: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(part).unwrap_or_default()
}
