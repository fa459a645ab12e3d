//! Server-sent events: formatting and streaming the events of an interface.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use futures::Stream;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::agents::{AgentResult, Progress};
use super::chat::Head;
use super::error::ApiError;

/// Serialized events, each with its terminating blank line.
pub(crate) type Frames = Vec<String>;

/// Formats one answer for one of the two interfaces, either as a whole or as a stream of events.
pub(crate) trait Interface: Send + 'static {
    /// Sets the values shared by all parts of the response.
    fn set_head(&mut self, head: Head);

    /// Returns the response body for an answer that is not streamed.
    fn whole(&self, answered: &AgentResult) -> Value;

    /// Returns the first events of a stream.
    fn begin(&mut self) -> Frames;

    /// Returns the events for a progress report.
    fn progress(&mut self, progress: &Progress) -> Frames;

    /// Returns the final events for an answer.
    fn end(&mut self, answered: &AgentResult) -> Frames;

    /// Returns the final events for a failure.
    fn failed(&mut self, error: &ApiError) -> Frames;
}

/// Formats an unnamed event.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Formats a named event.
pub(crate) fn named(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {value}\n\n")
}

/// Formats a comment, which clients skip.
pub(crate) fn comment(line: &str) -> String {
    let line = line.replace(['\r', '\n'], " ");
    format!(": {line}\n\n")
}

/// Creates a streaming response from the frames that a task sends. The task is aborted when the
/// client disconnects.
pub(crate) fn response(frames: mpsc::UnboundedReceiver<String>, task: JoinHandle<()>) -> Response {
    let body = Body::from_stream(Events { frames, task });
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Instructs proxies not to buffer events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct Events {
    frames: mpsc::UnboundedReceiver<String>,
    task: JoinHandle<()>,
}

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let frame = self.frames.poll_recv(context);
        frame.map(|frame| frame.map(|frame| Ok(Bytes::from(frame))))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.task.abort();
    }
}
