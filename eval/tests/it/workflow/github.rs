//! The subset of GitHub's API that the workflow uses, served on a free port.

use std::collections::BTreeMap;

use fault_server::{Behavior, FaultServer};
use serde_json::Value;

/// Token that requests must present: `github.token` of the simulated jobs.
pub const TOKEN: &str = "job-token";

/// A server with fixed responses, which rejects requests without the token.
pub struct Github {
    pub origin: String,
    server: FaultServer,
}

impl Github {
    /// Starts a server that answers each path with its JSON. A number is returned as the status
    /// instead, and other paths get 404.
    pub fn start(answers: BTreeMap<String, Value>) -> Self {
        let authorization = format!("Bearer {TOKEN}");
        let server = FaultServer::start(move |seen| {
            let is_authorized = seen.header("authorization") == Some(authorization.as_str());
            let (status, body) = match answers.get(&seen.path) {
                _ if !is_authorized => (401, Value::Null),
                Some(Value::Number(status)) => (status.as_u64().unwrap(), Value::Null),
                Some(body) => (200, body.clone()),
                None => (404, Value::Null),
            };
            let status = u16::try_from(status).unwrap();
            Behavior::Status(status, Vec::new(), body.to_string())
        });
        Self {
            origin: server.origin(),
            server,
        }
    }

    /// Returns the paths requested so far.
    pub fn seen(&self) -> Vec<String> {
        let seen = self.server.seen().into_iter();
        seen.map(|request| request.path).collect()
    }
}
