//! A real NATS server or a cluster of three, for tests. `scripts/install-queue.sh` installs the
//! server under `target/nats`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Maximum time to wait until a server listens.
const LISTENS: Duration = Duration::from_secs(120);

/// A server that stops when dropped.
pub struct NatsServer {
    child: Child,
    program: PathBuf,
    url: String,
    args: Vec<String>,
    _folder: TempDir,
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a free port for connections within a cluster. Its members must know each other's ports
/// in advance.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Returns the path of the server's program. If it is not installed, prints a note and returns
/// `None`.
fn program() -> Option<PathBuf> {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../target/nats/bin/nats-server");
    if program.is_file() {
        return Some(program);
    }
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    {
        println!("skipped: target/nats has no server; scripts/install-queue.sh installs it");
    }
    None
}

impl NatsServer {
    /// Starts a single server. Returns `None` if it is not installed.
    pub fn start() -> Option<Self> {
        Self::with("")
    }

    /// Starts a server with additional configuration lines. Returns `None` if it is not installed.
    pub fn with(config: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nats.conf");
        fs::write(&file, config).unwrap();
        let args = vec!["--config".to_owned(), file.display().to_string()];
        Self::launch(folder, args)
    }

    /// Starts a cluster of three servers, which can store everything three times. Returns `None` if
    /// the server is not installed.
    pub fn cluster() -> Option<Vec<Self>> {
        let ports = [free_port(), free_port(), free_port()];
        let routes = ports
            .map(|port| format!("nats-route://127.0.0.1:{port}"))
            .join(",");
        let each = ports.iter().enumerate().map(|(number, port)| {
            let folder = tempfile::tempdir().unwrap();
            let args = [
                "--cluster_name",
                "test",
                "--server_name",
                &format!("n{number}"),
                "--cluster",
                &format!("nats://127.0.0.1:{port}"),
                "--routes",
                &routes,
            ];
            Self::launch(folder, args.map(str::to_owned).to_vec())
        });
        each.collect()
    }

    /// Starts a server on a port of its choice, and reads the port from the file that the server
    /// writes.
    fn launch(folder: TempDir, more: Vec<String>) -> Option<Self> {
        let program = program()?;
        let store = folder.path().join("jetstream").display().to_string();
        let ports = folder.path().display().to_string();
        let mut args = ["--jetstream", "--addr", "127.0.0.1", "--store_dir", &store]
            .map(str::to_owned)
            .to_vec();
        args.extend(more);
        let any = ["--port", "-1", "--ports_file_dir", &ports].map(str::to_owned);
        let mut child = spawn(&program, &[&args[..], &any].concat());
        let file = folder
            .path()
            .join(format!("nats-server_{}.ports", child.id()));
        let began = Instant::now();
        let url = loop {
            let text = fs::read(&file).unwrap_or_default();
            let ports: Value = serde_json::from_slice(&text).unwrap_or_default();
            if let Some(url) = ports["nats"][0].as_str() {
                break url.to_owned();
            }
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "the server exited: {ended:?}");
            assert!(began.elapsed() < LISTENS, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        };
        let port = url.rsplit(':').next().unwrap().to_owned();
        // A restarted server keeps its port.
        args.extend(["--port".to_owned(), port]);
        let server = Self {
            child,
            program,
            url,
            args,
            _folder: folder,
        };
        server.wait();
        Some(server)
    }

    /// Returns the address of the server: `nats://HOST:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.url.rsplit(':').next().unwrap().parse().unwrap()
    }

    /// Kills the server and keeps its data.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Restarts the server with the same data.
    pub fn restart(&mut self) {
        self.child = spawn(&self.program, &self.args);
        self.wait();
    }

    fn wait(&self) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port())).is_err() {
            assert!(began.elapsed() < LISTENS, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn spawn(program: &Path, args: &[String]) -> Child {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}
