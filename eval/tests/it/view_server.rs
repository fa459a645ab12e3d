//! `rlm-eval view` as a process that serves a folder.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::serve;

/// A viewer that serves until dropped.
pub struct Viewer {
    child: Child,
    /// `http://127.0.0.1:PORT/?token=TOKEN`.
    pub address: String,
}

impl Viewer {
    pub fn of(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_eval"))
            .args(["view", "--no-open"])
            .arg(folder)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        Self { child, address }
    }

    /// Requests a path with the token; returns status and body.
    pub fn get(&self, path: &str) -> (u16, String) {
        let (server, token) = self.address.split_once("/?token=").unwrap();
        let host = server.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        serve::read(stream)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
