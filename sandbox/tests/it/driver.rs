//! Drives one root REPL for tests.

use sandbox::message::{AgentInfo, CellOutcome, Context, FunctionCall};
use sandbox::{
    Config, Event, HostFunctions, Isolation, Method, ObjectFactory, Repl, Sandbox, Session,
    SessionLost, WorkerCommand,
};
use serde_json::{Value, json};

/// Returns the value of `__rlm` for the root in a test session.
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

/// Opens the root REPL of a new session in a thread of this process.
pub async fn root(config: Config, context: &str) -> Repl {
    let session = Session::in_thread(config)
        .await
        .expect("the sandbox starts");
    session.open(None, Context::text(context), root_info())
}

/// Runs a cell and answers its calls; [`answer_function`] answers those to host functions. Panics
/// if the isolate is lost.
pub async fn run(repl: &mut Repl, code: &str) -> CellOutcome {
    repl.run(code, 1);
    loop {
        match repl.next().await.expect("the isolate lives") {
            Event::Finished(outcome) => return outcome,
            Event::Called(call) => repl.settle(call.id, Ok(format!("answer to {}", call.query))),
            Event::Invoked(call) => answer_function(repl, &call),
            Event::CallContext { .. } | Event::StatusRequested { .. } | Event::Cancelled(_) => {}
        }
    }
}

/// Returns all isolation modes, which must behave identically.
pub fn isolations() -> [Isolation; 3] {
    let sharing = WorkerCommand {
        sessions: 2,
        ..worker_command()
    };
    [Isolation::Thread, in_process(), Isolation::Process(sharing)]
}

/// Returns the isolation mode with a fully confined worker process for each session.
pub fn in_process() -> Isolation {
    Isolation::Process(worker_command())
}

pub fn worker_command() -> WorkerCommand {
    WorkerCommand {
        program: env!("CARGO_BIN_EXE_sandbox-worker").into(),
        arguments: Vec::new(),
        strict: true,
        sessions: 1,
        jitless: false,
    }
}

/// Creates a sandbox. Panics if its workers cannot be fully confined.
pub fn sandbox(config: Config, isolation: Isolation) -> Sandbox {
    Sandbox::new(config, isolation, |lack| panic!("{lack}")).expect("the sandbox loads")
}

/// Opens the root REPL of a new session of `sandbox`.
pub async fn root_of(sandbox: &Sandbox, context: &str) -> Repl {
    let session = sandbox.session().await.expect("the session starts");
    session.open(None, Context::text(context), root_info())
}

/// Runs a cell like [`run`], but returns an error if the isolate is lost.
pub async fn try_run(repl: &mut Repl, code: &str) -> Result<CellOutcome, SessionLost> {
    repl.run(code, 1);
    loop {
        match repl.next().await? {
            Event::Finished(outcome) => return Ok(outcome),
            Event::Called(call) => repl.settle(call.id, Ok(format!("answer to {}", call.query))),
            Event::Invoked(call) => answer_function(repl, &call),
            Event::CallContext { .. } | Event::StatusRequested { .. } | Event::Cancelled(_) => {}
        }
    }
}

/// Opens the root REPL of a new session of `sandbox`, with host functions that [`run`] answers.
pub async fn root_with(sandbox: &Sandbox, functions: &[&str]) -> Repl {
    let session = sandbox.session().await.expect("the session starts");
    let context = Context::text("the context");
    session.open_with(None, context, root_info(), host_functions(functions))
}

/// Creates host functions with these names. The name of a function that returns an object is
/// followed by the function's arguments and the object's methods:
/// `agents.create(kind,name)>agents.send(message)`.
pub fn host_functions(names: &[&str]) -> HostFunctions {
    let (makers, plain): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| name.contains('>'));
    let written = |text: &str| {
        let (name, takes) = text.split_once('(').expect("arguments in parentheses");
        let takes = takes.trim_end_matches(')').split(',').map(str::to_owned);
        let takes = takes.filter(|name| !name.is_empty()).collect();
        (name.to_owned(), takes)
    };
    let makers = makers.into_iter().map(|text| {
        let mut parts = text.split('>').map(written);
        let (name, takes) = parts.next().expect("a name");
        let methods = parts.map(|(name, takes)| Method { name, takes });
        ObjectFactory {
            name,
            takes,
            methods: methods.collect(),
        }
    });
    HostFunctions::new(plain.into_iter().map(str::to_owned))
        .and_then(|functions| functions.with_factories(makers))
        .expect("the names are valid")
}

/// Answers a call to a host function by its name: `fail` throws an error, `never` is not answered,
/// `agents.create` returns its arguments and an id, and any other function returns its name and
/// arguments.
pub fn answer_function(repl: &Repl, call: &FunctionCall) {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
    match call.name.as_str() {
        "fail" => repl.settle_function(call.id, Err("it did not work".to_owned())),
        "never" => {}
        "agents.create" => {
            let mut made = arguments;
            made["id"] = json!("a1");
            repl.settle_function(call.id, Ok(made));
        }
        name => {
            repl.settle_function(call.id, Ok(json!({ "called": name, "with": arguments })));
        }
    }
}
