//! Runs a harness with a busy session until the test that started it kills it.

use std::io::Write as _;

use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Event, Isolation, Sandbox, WorkerCommand};

/// Starts workers from the program in the second argument, with the number of sessions per worker
/// in the third. Prints `busy` when a cell has entered an endless loop, then waits.
pub fn run() {
    let mut arguments = std::env::args().skip(2);
    let isolation = Isolation::Process(WorkerCommand {
        program: arguments.next().expect("the worker's program").into(),
        arguments: Vec::new(),
        strict: true,
        sessions: arguments
            .next()
            .and_then(|sessions| sessions.parse().ok())
            .expect("the number of sessions per worker"),
        jitless: false,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("an async runtime");
    runtime.block_on(async {
        let sandbox = Sandbox::new(Config::default(), isolation, |lack| panic!("{lack}"));
        let session = sandbox.expect("a sandbox").session().await;
        let session = session.expect("a session");
        let info = AgentInfo::of_host_code("");
        let mut repl = session.open(None, Context::text(""), info);
        repl.run("await llm('shall I?'); for (;;) {}", 1);
        if let Event::Called(call) = repl.next().await.expect("the session lives") {
            repl.settle(call.id, Ok("yes".to_owned()));
        }
        println!("busy");
        std::io::stdout().flush().expect("the test listens");
        repl.next().await.expect("the session lives");
    });
}
