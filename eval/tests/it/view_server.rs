//! `rlm-eval view` as a process that serves a folder.

use std::path::Path;
use std::process::Command;

use http_fixture::HttpClient;

use crate::binary::Running;

/// A viewer that serves until dropped.
pub struct Viewer {
    _process: Running,
    /// `http://127.0.0.1:PORT/?token=TOKEN`.
    pub address: String,
}

impl Viewer {
    pub fn of(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_eval"));
        command.args(["view", "--no-open"]).arg(folder).env_clear();
        let (process, address) = Running::serve(&mut command);
        Self {
            _process: process,
            address,
        }
    }

    /// Requests a path with the token; returns status and body.
    pub fn get(&self, path: &str) -> (u16, String) {
        let (server, token) = self.address.split_once("/?token=").unwrap();
        let key = format!("Authorization: Bearer {token}");
        let answer = HttpClient::of(server, &[]).ask(&format!("GET {path}"), &[&key], "");
        (answer.status, answer.body)
    }
}
