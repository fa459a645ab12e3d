//! Drives one root REPL for tests.

use sandbox::message::{AgentInfo, CellOutcome, Context};
use sandbox::{Config, Event, Repl, Session};

/// What the root of a test session is told of itself.
pub fn root_info() -> AgentInfo {
    AgentInfo {
        depth: 0,
        max_depth: 2,
        max_iterations: 15,
        lineage: vec!["the question".to_owned()],
        invocation_id: "root".to_owned(),
        parent_id: None,
    }
}

/// A session with its root REPL.
pub async fn root(config: Config, context: &str) -> Repl {
    let session = Session::in_thread(config).await.expect("the sandbox starts");
    session.open(None, Context::Text(context.into()), root_info())
}

/// Runs a cell that makes no calls, or whose calls are answered by `answer`.
pub async fn run(repl: &mut Repl, code: &str) -> CellOutcome {
    repl.run(code, 1);
    loop {
        match repl.next().await.expect("the isolate lives") {
            Event::Finished(outcome) => return outcome,
            Event::Called(call) => repl.settle(call.id, Ok(format!("answer to {}", call.query))),
            Event::CallContext { .. } => {}
        }
    }
}
