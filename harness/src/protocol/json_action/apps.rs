//! Serves the apps' requests for model answers and documents, one at a time and in order.

use std::convert::Infallible;

use tokio::sync::mpsc::UnboundedReceiver;

use crate::agent::{AgentPlan, Attempt, Invocation, run_turns};
use crate::model::web::{AppCall, AppHost};
use crate::model::{EventKind, Message, Role, WebEvent};
use crate::protocol::direct::OneCall;

/// Serves requests. The future never completes.
pub(super) async fn serve(
    attempt: &Attempt<'_>,
    root: &Invocation,
    host: &dyn AppHost,
    mut calls: UnboundedReceiver<AppCall>,
) -> Infallible {
    let mut number = 0;
    while let Some(call) = calls.recv().await {
        match call {
            AppCall::Document { uri, reply } => {
                let text = host.document(&uri);
                attempt.records.emit(
                    root,
                    EventKind::Web {
                        event: WebEvent::DocumentRead {
                            uri,
                            found: text.is_some(),
                            chars: text.as_ref().map_or(0, |text| text.chars().count() as u64),
                        },
                    },
                );
                // Ignore the error if the app has been closed.
                let _ = reply.send(text.unwrap_or_default());
            }
            AppCall::Inference { prompt, reply } => {
                let invocation = child(root, number, &prompt);
                number += 1;
                // If there is no answer, dropping the sender makes the app's `fetch` fail.
                let mut agent = OneCall::of_messages(vec![Message::user(prompt)]);
                if let Ok(text) = run_turns(attempt, &invocation, &mut agent).await {
                    let _ = reply.send(text);
                }
            }
        }
    }
    std::future::pending().await
}

fn child(root: &Invocation, number: u32, prompt: &str) -> Invocation {
    let plan = AgentPlan::one_call(Role::App, root.plan.depth + 1);
    let model = root.model.clone();
    root.child(root.child_id(number), plan, prompt.to_owned(), model)
}
