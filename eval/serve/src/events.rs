//! Answers as server-sent events: what an interface has to say, and the stream that carries it.
//!
//! The format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

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

use super::agents::{Answered, Progress};
use super::chat::Head;
use super::error::ApiError;

/// Events as they are sent, each with the blank line that ends it.
pub(crate) type Frames = Vec<String>;

/// One of the two interfaces, for one answer.
pub(crate) trait Interface: Send + 'static {
    /// What the answer is called.
    fn set_head(&mut self, head: Head);

    /// The answer in one piece.
    fn whole(&self, answered: &Answered) -> Value;

    /// The first events of a stream.
    fn begin(&mut self) -> Frames;

    /// Those for something that the agent reports.
    fn progress(&mut self, progress: &Progress) -> Frames;

    /// Those for its answer; none follows.
    fn end(&mut self, answered: &Answered) -> Frames;

    /// Those for an answer that cannot be; none follows.
    fn failed(&mut self, error: &ApiError) -> Frames;
}

/// An event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event with a name.
pub(crate) fn named(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {value}\n\n")
}

/// A comment, which clients skip.
pub(crate) fn comment(line: &str) -> String {
    let line = line.replace(['\r', '\n'], " ");
    format!(": {line}\n\n")
}

/// Sends what a task writes. The client's going away ends the task.
pub(crate) fn response(frames: mpsc::UnboundedReceiver<String>, task: JoinHandle<()>) -> Response {
    let body = Body::from_stream(Events { frames, task });
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // For proxies that would otherwise keep events back.
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
