//! Digests of requests, by which a journal recognizes a repeated request.

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::model::{Message, Sampling, ToolUse};
use crate::prompt::AnswerSchema;
use crate::provider::Request;

/// Hexadecimal digits of a digest. Early journals of version 2 contain all 64 of them.
const DIGEST_DIGITS: usize = 32;

type Sum = [u8; 32];

/// Digests of the requests of one conversation. Messages that were part of the last request are
/// compared by pointer instead of hashed again, so that the work grows linearly with the number of
/// messages, not quadratically.
#[derive(Default)]
pub(crate) struct Digests {
    /// Parts of the last request other than its messages.
    head: Option<Head>,
    /// Messages of the last request, each with a digest of this message and all earlier ones.
    sent: Vec<(Arc<Message>, Sum)>,
}

/// Parts of a request that rarely change, and their digest.
struct Head {
    model: String,
    system: String,
    sampling: Arc<Sampling>,
    tools: ToolUse,
    answer_schema: Option<AnswerSchema>,
    sum: Sum,
}

impl Head {
    fn of(request: &Request) -> Self {
        let parts = json(&(
            &request.model,
            &request.system,
            &request.sampling,
            &request.tools,
            &request.answer_schema,
        ));
        Self {
            model: request.model.clone(),
            system: request.system.clone(),
            sampling: Arc::clone(&request.sampling),
            tools: request.tools.clone(),
            answer_schema: request.answer_schema.clone(),
            sum: Sha256::digest(parts).into(),
        }
    }

    fn is_of(&self, request: &Request) -> bool {
        self.model == request.model
            && self.system == request.system
            && Arc::ptr_eq(&self.sampling, &request.sampling)
            && self.tools == request.tools
            && self.answer_schema == request.answer_schema
    }
}

impl Digests {
    /// Returns a digest of everything in a request that determines its response.
    pub fn of(&mut self, request: &Request) -> String {
        let head = match self.head.take().filter(|head| head.is_of(request)) {
            Some(head) => head,
            None => Head::of(request),
        };
        let head = self.head.insert(head).sum;
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
        sum.update(head);
        if let Some((_, messages)) = self.sent.last() {
            sum.update(messages);
        }
        let mut digest = hex::encode(sum.finalize());
        digest.truncate(DIGEST_DIGITS);
        digest
    }
}

/// Serializes a part of a request, which cannot fail.
fn json(part: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(part).unwrap_or_default()
}
