//! Server-sent events: their format, and a response that streams them.
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

/// Serialized events, each with its terminating blank line.
pub(crate) type Frames = Vec<String>;

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
