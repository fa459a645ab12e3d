//! A received request, and what the server does with it.

use serde_json::Value;

/// Behavior of the server for one request.
#[derive(Debug, Clone)]
pub enum Behavior {
    /// Answers with this text.
    Text(String),
    /// Answers with a call to the tool `execute_code` with this code.
    Code(String),
    /// Answers with this text and these tool calls, each with its name and its arguments as JSON
    /// text.
    Calls(String, Vec<(&'static str, &'static str)>),
    /// Answers with this text after a delay in milliseconds.
    Late(u64, String),
    /// Answers with this text, without a token count.
    NoUsage(String),
    /// Answers with this text, truncated by the limit on output tokens.
    Length(String),
    /// Reports that a content filter blocked the answer.
    Filter,
    /// Answers with an empty list of choices, content blocks or output items.
    Empty,
    /// Answers with this status, these headers and this body.
    Status(u16, Vec<(String, String)>, String),
    /// Answers with status 200 and a body that reports an error with this message.
    ErrorInOk(String),
    /// Resets the connection.
    Reset,
    /// Does not respond, but keeps the connection open until the client disconnects.
    Stall,
    /// Sends the headers and the first half of the body, then stalls.
    StallInBody(String),
    /// Closes the connection in the middle of the body.
    Cut(String),
    /// Sends a complete body with only the first half of the JSON.
    HalfJson(String),
    /// Sends a body that is not JSON.
    Garbage,
    /// Streams this text in pieces of a few characters, with a delay in milliseconds after each
    /// event.
    Trickle(u64, String),
}

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Number of the request, 0-based.
    pub number: usize,
    /// Method: `GET`, `POST`, ….
    pub method: String,
    /// Path with the query.
    pub path: String,
    /// Headers, with lowercase names.
    pub headers: Vec<(String, String)>,
    /// Parsed body; null if it is not JSON.
    pub body: Value,
    /// Body as text, in which invalid UTF-8 is replaced.
    pub text: String,
}

impl ReceivedRequest {
    /// Returns a header by its lowercase name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name)?;
        Some(&found.1)
    }
}
