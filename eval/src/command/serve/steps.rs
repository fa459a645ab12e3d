//! Progress lines for clients that wait for an answer.

use harness::model::{Event, EventKind};
use report::sanitize::sanitize;

use crate::process::terminal::counted;

/// Maximum width of a line, in columns.
const WIDTH: usize = 200;

/// Describes an event in one line; `None` for events that clients do not see.
pub(super) fn step(event: &Event) -> Option<String> {
    let text = match &event.kind {
        EventKind::IterationStart { iteration } => format!("iteration {iteration}"),
        EventKind::DelegationSpawn { child, .. } => format!("calls {child}"),
        EventKind::AgentCreated { child, name, .. } => format!("creates {child} ({name})"),
        EventKind::MessageSent { child } => format!("sends a message to {child}"),
        EventKind::ToolCall { name, .. } => format!("used the tool {name}"),
        EventKind::IterationEnd {
            error: Some(error), ..
        } => format!("its code failed: {error}"),
        EventKind::LlmRetry { error, .. } => format!("retries its model call: {error}"),
        EventKind::LlmError { error, .. } => format!("its model failed: {error}"),
        EventKind::InvocationEnd {
            status, iterations, ..
        } => format!("ended {status} after {}", counted(*iterations, "iteration")),
        _ => return None,
    };
    Some(sanitize(&format!("{}: {text}", event.invocation), WIDTH))
}
