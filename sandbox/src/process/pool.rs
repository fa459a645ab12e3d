//! The harness's pool of servers: starts them, opens sessions in them, and replaces servers that
//! end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::time::sleep;

use super::frame::{self, FrameError};
use super::server::Server;
use super::{FromWorker, Hello, MAX_SESSIONS, WorkerCommand, copying, long_text};
use crate::message::Request;
use crate::router::Router;
use crate::session::{Config, Session, StartError};
use crate::session_lost::SessionLost;
use crate::snapshot::snapshot;

/// Maximum number of tries to open a session.
const START_TRIES: u32 = 3;
/// Pause between tries, during which other processes may end and free resources.
const START_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of sessions opened concurrently, because systems limit the number of sockets in
/// transit to a process.
const OPENING: usize = 32;

/// Pool of worker processes with the same configuration.
#[derive(Clone)]
pub struct Workers(Arc<Shared>);

struct Shared {
    command: WorkerCommand,
    config: Config,
    /// Whether each session gets a copy of a server. False once a server has reported that it
    /// cannot be copied.
    copies: AtomicBool,
    opening: Semaphore,
    current: Mutex<Option<Current>>,
    /// Ensures that missing kernel features are reported only once.
    lack_reported: Once,
    on_lack: Box<dyn Fn(&str) + Send + Sync>,
}

/// Server that receives the next session.
struct Current {
    server: Arc<Server>,
    taken: u32,
}

impl Workers {
    /// Creates the pool without starting a process; the first session starts one. Calls `on_lack`
    /// once if the kernel cannot fully confine workers, and once if a server cannot be copied.
    ///
    /// # Errors
    /// [`StartError::Boot`] if the engine does not load the library.
    pub fn new(
        config: &Config,
        command: WorkerCommand,
        on_lack: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        snapshot()?;
        Ok(Self(Arc::new(Shared {
            copies: AtomicBool::new(command.sessions <= 1 && copying::AVAILABLE),
            command,
            config: config.clone(),
            opening: Semaphore::new(OPENING),
            current: Mutex::default(),
            lack_reported: Once::new(),
            on_lack: Box::new(on_lack),
        })))
    }

    /// Whether several sessions run in one process.
    pub fn are_shared(&self) -> bool {
        self.0.command.sessions > 1
    }

    /// Opens a session in a worker. Retries if the worker is killed before it is ready.
    ///
    /// # Errors
    /// Returns an error if no process is available.
    pub async fn session(&self) -> Result<Session, StartError> {
        for _ in 1..START_TRIES {
            match self.0.open().await {
                Err(StartError::Process(_)) => sleep(START_PAUSE).await,
                other => return other,
            }
        }
        self.0.open().await
    }
}

impl Shared {
    async fn open(&self) -> Result<Session, StartError> {
        // The semaphore is never closed.
        let _one_of_few = self.opening.acquire().await;
        for _ in 0..2 {
            if let Some(session) = self.open_once().await? {
                return Ok(session);
            }
        }
        Err(StartError::Process(io::ErrorKind::Unsupported.into()))
    }

    /// Opens a session; `None` if the server cannot be copied. The next server does not fork.
    async fn open_once(&self) -> Result<Option<Session>, StartError> {
        let server = self.server().await.map_err(StartError::Process)?;
        let (number, socket) = match server.open().await {
            Ok(opened) => opened,
            Err(error) => {
                self.retire(&server).await;
                return Err(StartError::Process(error));
            }
        };
        let (read, write) = socket.into_split();
        let mut replies = BufReader::new(read);
        match frame::read_async(&mut replies).await {
            Ok(Some(FromWorker::Ready { lacks })) => {
                if let Some(lacks) = lacks {
                    self.lack_reported.call_once(|| (self.on_lack)(&lacks));
                }
            }
            Ok(Some(FromWorker::NoCopy(reason))) => {
                if self.copies.swap(false, Ordering::SeqCst) {
                    let each = "each attempt has its own worker process";
                    (self.on_lack)(&format!("a server cannot be copied, so {each}: {reason}"));
                }
                self.retire(&server).await;
                return Ok(None);
            }
            Ok(Some(FromWorker::Refused(reason))) => return Err(StartError::Confine(reason)),
            _ => {
                let end = server.end_of(number).await.map_err(StartError::Process)?;
                self.retire(&server).await;
                let reason = format!("it ended before it was ready: {}", end.detail);
                return Err(StartError::Process(io::Error::other(reason)));
            }
        }
        let (requests, inbox) = mpsc::unbounded_channel();
        let router = Arc::new(Router::default());
        tokio::spawn(forward(
            server,
            number,
            (inbox, write),
            (replies, Arc::clone(&router)),
        ));
        // Requests to a worker that has ended are dropped.
        let send = move |request| drop(requests.send(request));
        Ok(Some(Session::over(send, router)))
    }

    /// Stops opening sessions in a server, which may be ending. Existing sessions continue.
    async fn retire(&self, server: &Arc<Server>) {
        let mut current = self.current.lock().await;
        current.take_if(|current| Arc::ptr_eq(&current.server, server));
    }

    fn hello(&self, forks: bool) -> io::Result<Vec<u8>> {
        let hello = Hello {
            config: self.config.clone(),
            strict: self.command.strict,
            jitless: self.command.jitless,
            forks,
            snapshot: snapshot().map_err(io::Error::other)?.to_vec(),
        };
        frame::encode(&hello).map_err(|error| io::Error::other(error.to_string()))
    }

    /// Returns a server that can run one more session.
    async fn server(&self) -> io::Result<Arc<Server>> {
        let mut current = self.current.lock().await;
        let copies = self.copies.load(Ordering::SeqCst);
        if let Some(current) = current.as_mut()
            && current.server.lives()
            && (copies || current.taken < self.command.sessions.clamp(1, MAX_SESSIONS))
        {
            current.taken += 1;
            return Ok(Arc::clone(&current.server));
        }
        let hello = self.hello(copies)?;
        let server = Arc::new(Server::start(&self.command, &hello).await?);
        *current = Some(Current {
            server: Arc::clone(&server),
            taken: 1,
        });
        Ok(server)
    }
}

/// Forwards the requests and replies of one session until either side ends.
async fn forward(
    server: Arc<Server>,
    number: u32,
    down: (mpsc::UnboundedReceiver<Request>, OwnedWriteHalf),
    up: (BufReader<OwnedReadHalf>, Arc<Router>),
) {
    let (mut replies, router) = up;
    // Also dropped with the async runtime, so that callers waiting for replies are notified.
    let _notify = LoseAtEnd(Arc::clone(&router));
    let lost = || async {
        let end = server.end_of(number).await;
        end.unwrap_or_else(|error| {
            SessionLost::outside(format!("its process did not start: {error}"))
        })
    };
    let hung_up = async {
        let mut of_turn = Vec::new();
        loop {
            match frame::read_async(&mut replies).await {
                Ok(Some(FromWorker::Reply { reply, is_last })) => {
                    of_turn.push(reply);
                    if is_last {
                        router.route(std::mem::take(&mut of_turn));
                    }
                }
                Ok(None) | Err(FrameError::Io(_)) => return None,
                _ => return Some(SessionLost::own_code("its process sent an invalid message")),
            }
        }
    };
    let (queue, queued) = mpsc::unbounded_channel();
    tokio::select! {
        garbled = hung_up => {
            router.end();
            // A forking server also ends the process before it reports the exit status.
            let lost = lost().await;
            router.lose(garbled.unwrap_or(lost));
        }
        // Runs even while the worker is executing a cell and does not read.
        () = forward_requests(down.0, queue) => server.close(number).await,
        done = send_requests(queued, down.1) => match done {
            SendEnd::TooLarge => {
                router.lose(SessionLost::own_code("a request is too large to send to its process"));
                server.close(number).await;
            }
            SendEnd::HungUp => router.lose(lost().await),
        },
    }
}

/// On drop, notifies the REPLs of a session that no more replies will arrive. Keeps the reason of
/// an earlier notification.
struct LoseAtEnd(Arc<Router>);

impl Drop for LoseAtEnd {
    fn drop(&mut self) {
        self.0
            .lose(SessionLost::outside("its replies are no longer read"));
    }
}

/// Forwards requests until there are no more. At that point, no caller waits for an answer.
async fn forward_requests(
    mut inbox: mpsc::UnboundedReceiver<Request>,
    queue: mpsc::UnboundedSender<Request>,
) {
    while let Some(request) = inbox.recv().await {
        // The reader may have detected that the worker ended, which ends both tasks.
        let _ = queue.send(request);
    }
}

/// Reason why no more requests are sent.
enum SendEnd {
    TooLarge,
    HungUp,
}

async fn send_requests(
    mut queued: mpsc::UnboundedReceiver<Request>,
    mut to: OwnedWriteHalf,
) -> SendEnd {
    while let Some(request) = queued.recv().await {
        if let Err(done) = send(&mut to, request).await {
            return done;
        }
    }
    // The queue is closed only after `forward_requests` has ended, and then this task is also
    // dropped.
    std::future::pending().await
}

async fn send(to: &mut OwnedWriteHalf, request: Request) -> Result<(), SendEnd> {
    let (down, text) = long_text::part(request).ok_or(SendEnd::TooLarge)?;
    let frame = frame::encode(&down).map_err(|_| SendEnd::TooLarge)?;
    to.write_all(&frame).await.map_err(|_| SendEnd::HungUp)?;
    for piece in long_text::pieces(&text) {
        let frame = frame::encode(&piece).map_err(|_| SendEnd::TooLarge)?;
        to.write_all(&frame).await.map_err(|_| SendEnd::HungUp)?;
    }
    Ok(())
}
