//! Server-sent events: their format, and a response that streams them.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use futures::stream::poll_fn;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

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
pub(crate) fn response(mut frames: mpsc::UnboundedReceiver<String>, task: JoinSet<()>) -> Response {
    let frames = poll_fn(move |context| {
        // The response owns the task, which is aborted when dropped.
        let _ = &task;
        let frame = frames.poll_recv(context);
        frame.map(|frame| frame.map(Ok::<_, Infallible>))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Instructs proxies not to buffer events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
