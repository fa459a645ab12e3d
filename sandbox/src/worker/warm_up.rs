//! Performs the one-time work of an isolate before its process is copied.

use super::Worker;
use crate::functions::HostFunctions;
use crate::host_state::HostState;
use crate::isolate::Isolate;
use crate::limits::Limits;
use crate::message::{AgentId, AgentInfo, Context, Request};

/// Cell of the library that exercises common operations.
const CELL: &str = include_str!("../../js/warm-up.js");

/// Opens an agent, runs a cell, and closes the agent again, without leaving visible traces. Returns
/// `None` if this breaks the isolate.
///
/// This reduces the cost of a sample of two short iterations by a tenth.
pub(crate) fn warmed_up(isolate: Isolate, limits: &Limits) -> Option<Isolate> {
    let mut worker = Worker::new(isolate, limits.clone(), Box::new(|_| ()));
    let agent = AgentId(0);
    let open = Request::Open {
        agent,
        parent: None,
        context: Context::text("a text\nof two lines"),
        info: AgentInfo::of_host_code(""),
        functions: HostFunctions::default(),
    };
    let run = Request::Run {
        agent,
        code: CELL.to_owned(),
        iteration: 1,
    };
    let close = Request::Close {
        agent,
        returned: false,
    };
    for request in [open, run, close] {
        worker.handle(request, None);
    }
    worker.isolate.host(|host| *host = HostState::default());
    (!worker.broken).then_some(worker.isolate)
}
