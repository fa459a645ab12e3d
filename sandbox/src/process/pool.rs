//! The harness's side: starts workers, keeps idle ones warm, and replaces those that end.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Down, Hello, Up, WorkerCommand, exit, frame};
use crate::message::Request;
use crate::router::Router;
use crate::session::{Config, Lost, Session, StartError};
use crate::snapshot::snapshot;

/// Sessions that one worker serves before it is replaced: the engine leaks a little with each.
const SESSIONS_PER_WORKER: u32 = 50;
/// How often a worker is started that does not become ready.
const START_TRIES: u32 = 3;
/// How long a worker may take to end a session before it is killed. Nobody waits for it.
const END_GRACE: Duration = Duration::from_secs(2);

/// A pool of worker processes of one configuration.
#[derive(Clone)]
pub struct Workers(Arc<Shared>);

struct Shared {
    command: WorkerCommand,
    hello: Vec<u8>,
    idle: Mutex<Vec<Worker>>,
    /// Says once what the kernel lacks.
    told: Once,
    on_lack: Box<dyn Fn(&str) + Send + Sync>,
}

struct Worker {
    child: Child,
    input: ChildStdin,
    frames: mpsc::UnboundedReceiver<Up>,
    sessions: u32,
}

impl Workers {
    /// A pool without workers yet. `on_lack` is told once if the kernel cannot confine them fully.
    ///
    /// # Errors
    /// [`StartError::Boot`] if the engine does not load the library.
    pub fn new(
        config: &Config,
        command: WorkerCommand,
        on_lack: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        let hello = Hello {
            config: config.clone(),
            strict: command.strict,
            snapshot: snapshot()?.to_vec(),
        };
        let hello = frame::encode(&hello).map_err(|error| StartError::Process(other(&error)))?;
        Ok(Self(Arc::new(Shared {
            command,
            hello,
            idle: Mutex::default(),
            told: Once::new(),
            on_lack: Box::new(on_lack),
        })))
    }

    /// A session in a worker of its own: an idle one, or a new one.
    ///
    /// # Errors
    /// If no worker can be started.
    pub async fn session(&self) -> Result<Session, StartError> {
        let worker = loop {
            match self.0.take_idle() {
                None => break self.0.start_patiently().await?,
                Some(mut worker) => {
                    // Its pipes are read by the async runtime that started it, which may be gone.
                    let is_read = !worker.frames.is_closed();
                    if is_read && matches!(worker.child.try_wait(), Ok(None)) {
                        break worker;
                    }
                }
            }
        };
        let (requests, inbox) = mpsc::unbounded_channel();
        let router = Arc::new(Router::default());
        tokio::spawn(drive(
            worker,
            inbox,
            Arc::clone(&router),
            Arc::downgrade(&self.0),
        ));
        Ok(Session::over(requests, router))
    }
}

impl Shared {
    fn take_idle(&self) -> Option<Worker> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    /// Starts a worker; one that is killed before it is ready is replaced.
    async fn start_patiently(&self) -> Result<Worker, StartError> {
        for _ in 1..START_TRIES {
            match self.start().await {
                Err(StartError::Process(_)) => {}
                other => return other,
            }
        }
        self.start().await
    }

    async fn start(&self) -> Result<Worker, StartError> {
        let mut child = Command::new(&self.command.program)
            .args(&self.command.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(StartError::Process)?;
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(StartError::Process(io::Error::other("it has no pipes")));
        };
        input
            .write_all(&self.hello)
            .await
            .map_err(StartError::Process)?;
        let (sender, mut frames) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            // An unreadable frame ends the worker's session as its death would.
            while let Ok(Some(message)) = frame::read_async::<Up>(&mut output).await {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        match frames.recv().await {
            Some(Up::Ready { lacks }) => {
                if let Some(lacks) = lacks {
                    self.told.call_once(|| (self.on_lack)(&lacks));
                }
                Ok(Worker {
                    child,
                    input,
                    frames,
                    sessions: 0,
                })
            }
            Some(Up::Refused(reason)) => Err(StartError::Confine(reason)),
            _ => Err(StartError::Process(io::Error::other(
                "it ended before it was ready",
            ))),
        }
    }
}

/// Carries one session: requests down, replies up, until one of the two sides is done.
async fn drive(
    mut worker: Worker,
    mut inbox: mpsc::UnboundedReceiver<Request>,
    router: Arc<Router>,
    pool: Weak<Shared>,
) {
    loop {
        tokio::select! {
            message = worker.frames.recv() => match message {
                Some(Up::Reply(reply)) => router.route(reply),
                Some(Up::Refused(reason)) => return router.lose(Lost::outside(reason)),
                Some(Up::Ready { .. } | Up::Ended { .. }) => {}
                None => return router.lose(death(&mut worker).await),
            },
            request = inbox.recv() => {
                let Some(request) = request else { break };
                let Ok(frame) = frame::encode(&Down::Request(request)) else {
                    return router.lose(Lost::own_code("a request is too large for its process"));
                };
                if worker.input.write_all(&frame).await.is_err() {
                    return router.lose(death(&mut worker).await);
                }
            }
        }
    }
    // The session is over. Its worker is used again if it comes to rest in time; dropped, it is killed.
    if end(&mut worker).await
        && let Some(pool) = pool.upgrade()
    {
        pool.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(worker);
    }
}

/// Ends the worker's session; whether it can serve another.
async fn end(worker: &mut Worker) -> bool {
    let Ok(frame) = frame::encode(&Down::End) else {
        return false;
    };
    if worker.input.write_all(&frame).await.is_err() {
        return false;
    }
    let rest = async {
        loop {
            match worker.frames.recv().await {
                Some(Up::Ended { reusable }) => return reusable,
                Some(_) => {}
                None => return false,
            }
        }
    };
    let reusable = timeout(END_GRACE, rest).await.unwrap_or(false);
    worker.sessions += 1;
    reusable && worker.sessions < SESSIONS_PER_WORKER
}

/// Why a worker died.
async fn death(worker: &mut Worker) -> Lost {
    match timeout(END_GRACE, worker.child.wait()).await {
        Ok(Ok(status)) => exit::lost(status),
        Ok(Err(error)) => Lost::outside(format!("its process is gone: {error}")),
        Err(_) => Lost::outside("its process closed its pipes"),
    }
}

fn other(error: &frame::FrameError) -> io::Error {
    io::Error::other(error.to_string())
}
