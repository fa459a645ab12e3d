//! A server that a row names: started for an attempt, and ended with its children.

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

/// What a server may take until it answers.
const START: Duration = Duration::from_mins(1);
/// What the server of an earlier attempt may take until it no longer answers at the same address.
const END: Duration = Duration::from_secs(10);
/// What its last words may take.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How often it is tried.
const PAUSE: Duration = Duration::from_millis(20);
/// Lines of what it printed that an error may quote.
const LINES_KEPT: usize = 5;

/// A running server; dropping it ends its processes.
pub(super) struct ServerProcess {
    /// Where it answers.
    pub(super) address: Url,
    _child: Child,
    // Ends the whole group once its stdin closes.
    _guard: Child,
    _listening: JoinSet<()>,
}

impl ServerProcess {
    /// Starts it, and waits until it takes connections.
    ///
    /// # Errors
    /// A sentence: it does not start, or does not answer.
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
        // The one of the attempt before may still be on its way out.
        let until = Instant::now() + END;
        while TcpStream::connect(place.clone()).await.is_ok() {
            if Instant::now() > until {
                let why = format!("something else answers at {address} already");
                return Err(failed(why));
            }
            sleep(PAUSE).await;
        }
        // That of a file which is named without one.
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
            .ok_or_else(|| failed("it ended at once".to_owned()))?;
        let guard = Command::new("/bin/sh")
            .args(["-c", include_str!("guard.sh"), "guard"])
            .arg(group.to_string())
            .env_clear()
            .envs(environment::of_child())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0) // Ctrl-C of the terminal must not end it before its work
            .spawn()
            .map_err(|error| failed(format!("no guard: {error}")))?;
        let said = Said::default();
        let mut listening = JoinSet::new();
        if let Some(stdout) = child.stdout.take() {
            listening.spawn(said.clone().listen(stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            listening.spawn(said.clone().listen(stderr));
        }
        let until = Instant::now() + START;
        while TcpStream::connect(place.clone()).await.is_err() {
            if let Ok(Some(status)) = child.try_wait() {
                // What it printed last is still on its way.
                let rest = async { while listening.join_next().await.is_some() {} };
                // A child of its own may hold the pipe open.
                let _ = timeout(LAST_WORDS, rest).await;
                return Err(failed(format!("it ended with {status}{said}")));
            }
            if Instant::now() > until {
                let seconds = START.as_secs();
                return Err(failed(format!(
                    "nothing answers at {address} after {seconds} s{said}"
                )));
            }
            sleep(PAUSE).await;
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

/// The last lines that a server printed.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<VecDeque<String>>>);

impl Said {
    async fn listen(self, stream: impl AsyncRead + Unpin) {
        let mut lines = BufReader::new(stream).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut said = self.0.lock();
            if said.len() == LINES_KEPT {
                said.pop_front();
            }
            said.push_back(line.chars().take(300).collect());
        }
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let said: Vec<String> = self.0.lock().iter().cloned().collect();
        match said.as_slice() {
            [] => Ok(()),
            lines => write!(f, "; it printed: {}", lines.join(" / ")),
        }
    }
}
