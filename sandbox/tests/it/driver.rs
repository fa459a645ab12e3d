//! Drives one root REPL for tests.

use sandbox::message::{AgentInfo, CellOutcome, Context};
use sandbox::{Config, Event, Isolation, Lost, Repl, Sandbox, Session, WorkerCommand};

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
    let session = Session::in_thread(config)
        .await
        .expect("the sandbox starts");
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

/// Where isolates run: a test that goes through both must find no difference.
pub fn isolations() -> [Isolation; 2] {
    [Isolation::Thread, in_process()]
}

/// Worker processes, fully confined.
pub fn in_process() -> Isolation {
    Isolation::Process(WorkerCommand {
        program: env!("CARGO_BIN_EXE_sandbox-worker").into(),
        arguments: Vec::new(),
        strict: true,
    })
}

/// A sandbox that must be able to confine its workers.
pub fn sandbox(config: Config, isolation: Isolation) -> Sandbox {
    Sandbox::new(config, isolation, |lack| panic!("{lack}")).expect("the sandbox loads")
}

/// The root REPL of a fresh session.
pub async fn root_of(sandbox: &Sandbox, context: &str) -> Repl {
    let session = sandbox.session().await.expect("the session starts");
    session.open(None, Context::Text(context.into()), root_info())
}

/// Runs a cell that may end its isolate.
pub async fn try_run(repl: &mut Repl, code: &str) -> Result<CellOutcome, Lost> {
    repl.run(code, 1);
    loop {
        match repl.next().await? {
            Event::Finished(outcome) => return Ok(outcome),
            Event::Called(call) => repl.settle(call.id, Ok(format!("answer to {}", call.query))),
            Event::CallContext { .. } => {}
        }
    }
}
