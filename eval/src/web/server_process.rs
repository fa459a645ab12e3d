//! Starts a row's server for one attempt, and ends it with its child processes.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use benchmarks::ServerCommand;
use browser::environment;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::process::guard;

/// Maximum time until the server accepts connections.
const START_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum time to wait until an earlier attempt's server releases the address.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to wait for the last output of a server that exited.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between connection attempts.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum lines of output quoted in an error.
const MAX_LINES: usize = 5;

/// A running server. Its processes end when this value is dropped.
pub(super) struct ServerProcess {
    /// URL of the server.
    pub(super) address: Url,
    _child: Child,
    // Kills the whole process group when its stdin closes.
    _guard: Child,
    _listening: JoinSet<()>,
}

impl ServerProcess {
    /// Starts the server and waits until it accepts connections.
    ///
    /// # Errors
    /// A sentence about a server that does not start or does not accept connections.
    pub(super) async fn start(command: &ServerCommand) -> Result<Self, String> {
        let line = command.words.join(" ");
        let failed = |why: String| format!("the server `{line}` did not start: {why}");
        let port = free_port()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let filled = |text: &String| text.replace("{port}", &port.to_string());
        let address =
            Url::parse(&filled(&command.address)).map_err(|error| failed(error.to_string()))?;
        let place = (
            address.host_str().unwrap_or_default().to_owned(),
            address.port_or_known_default().unwrap_or_default(),
        );
        // The previous attempt's server may still be shutting down.
        let until = Instant::now() + RELEASE_TIMEOUT;
        while TcpStream::connect(place.clone()).await.is_ok() {
            if Instant::now() > until {
                let why = format!("{address} is already in use by another program");
                return Err(failed(why));
            }
            sleep(POLL_INTERVAL).await;
        }
        // An empty folder means the current folder.
        let folder = if command.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &command.folder
        };
        let mut words = command.words.iter().map(filled);
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(program)
            .args(words)
            .current_dir(folder)
            .env_clear()
            .envs(environment::of_child())
            .env("PORT", place.1.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let group = child
            .id()
            .ok_or_else(|| failed("it exited immediately".to_owned()))?;
        let guard = guard::watch(group)
            .map_err(|error| failed(format!("cannot start its guard: {error}")))?;
        let said = LastOutput::default();
        let mut listening = JoinSet::new();
        if let Some(stdout) = child.stdout.take() {
            listening.spawn(said.clone().listen(stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            listening.spawn(said.clone().listen(stderr));
        }
        let until = Instant::now() + START_TIMEOUT;
        while TcpStream::connect(place.clone()).await.is_err() {
            if let Ok(Some(status)) = child.try_wait() {
                // The last output may still be in transit.
                let rest = async { while listening.join_next().await.is_some() {} };
                // Stop waiting after a while, because a child process may keep the pipe open.
                let _ = timeout(OUTPUT_TIMEOUT, rest).await;
                return Err(failed(format!("it exited with {status}{said}")));
            }
            if Instant::now() > until {
                let seconds = START_TIMEOUT.as_secs();
                return Err(failed(format!(
                    "no response at {address} within {seconds} s{said}"
                )));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(Self {
            address,
            _child: child,
            _guard: guard,
            _listening: listening,
        })
    }
}

async fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))
        .await?
        .local_addr()?
        .port())
}

/// Last lines that a server printed.
#[derive(Clone, Default)]
struct LastOutput(Arc<Mutex<VecDeque<String>>>);

impl LastOutput {
    async fn listen(self, stream: impl AsyncRead + Unpin) {
        let mut lines = BufReader::new(stream).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut said = self.0.lock();
            if said.len() == MAX_LINES {
                said.pop_front();
            }
            said.push_back(line.chars().take(300).collect());
        }
    }
}

impl std::fmt::Display for LastOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let said: Vec<String> = self.0.lock().iter().cloned().collect();
        match said.as_slice() {
            [] => Ok(()),
            lines => write!(f, "; it printed: {}", lines.join(" / ")),
        }
    }
}
