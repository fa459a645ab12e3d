//! Streams the journals of attempts in progress into the queue, so that another worker can take
//! over an attempt.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use harness::journal::JournalStore;
use parking_lot::Mutex;
use queue::message::ResultHeader;
use queue::{QueueError, RunQueue};
use tokio::sync::{mpsc, watch};

/// Journals of one run's attempts that are in progress on this worker.
#[derive(Default)]
pub(super) struct StreamJournal {
    open: Mutex<HashMap<(String, u32), Open>>,
}

struct Open {
    /// Lines written by earlier workers.
    earlier: Vec<String>,
    orders: mpsc::UnboundedSender<JournalCommand>,
}

enum JournalCommand {
    Append(Vec<u8>),
    GiveUp,
}

/// Journal of an attempt in progress.
pub(super) struct OpenJournal {
    of: Arc<StreamJournal>,
    key: (String, u32),
    /// Becomes true when another worker takes over the attempt.
    pub(super) lost: watch::Receiver<bool>,
    /// Lines added by this worker.
    pub(super) added: Arc<Mutex<Added>>,
}

/// Lines that one worker added to a journal.
#[derive(Default)]
pub(super) struct Added {
    /// Lines that the queue has stored.
    pub(super) kept: Vec<u8>,
    /// Lines rejected because another worker had the attempt.
    pub(super) refused: Vec<u8>,
    /// Number of the message that contains the journal's last stored line.
    pub(super) last: u64,
}

impl Added {
    /// Returns all lines that the worker added.
    pub(super) fn all(&self) -> Vec<u8> {
        [self.kept.as_slice(), self.refused.as_slice()].concat()
    }
}

impl Drop for OpenJournal {
    fn drop(&mut self) {
        self.of.open.lock().remove(&self.key);
    }
}

impl StreamJournal {
    /// Opens the journal of an attempt to append to it. `bytes` are the lines so far, and `last` is
    /// the number of the message that contains the last line.
    pub(super) fn open(
        self: &Arc<Self>,
        queue: &RunQueue,
        head: &ResultHeader,
        bytes: Vec<u8>,
        last: u64,
    ) -> OpenJournal {
        let key = (head.sample.clone(), head.attempt);
        let text = String::from_utf8_lossy(&bytes);
        let earlier = text.lines().map(str::to_owned).collect();
        let (orders, inbox) = mpsc::unbounded_channel();
        let (lose, lost) = watch::channel(false);
        let added = Arc::new(Mutex::new(Added {
            last,
            ..Added::default()
        }));
        self.open
            .lock()
            .insert(key.clone(), Open { earlier, orders });
        let streamed = Stream {
            queue: queue.clone(),
            head: head.clone(),
            all: bytes,
            held: Vec::new(),
            added: Arc::clone(&added),
        };
        tokio::spawn(streamed.run(inbox, lose));
        OpenJournal {
            of: Arc::clone(self),
            key,
            lost,
            added,
        }
    }

    fn order(&self, sample: &str, attempt: u32, order: JournalCommand) -> io::Result<()> {
        let open = self.open.lock();
        let Some(one) = open.get(&(sample.to_owned(), attempt)) else {
            return Err(io::Error::other(
                "another worker has taken over the attempt",
            ));
        };
        // The receiver runs until this sender is dropped, so sending fails only at shutdown.
        let _ = one.orders.send(order);
        Ok(())
    }
}

/// Sends the lines of one journal to the queue in order.
struct Stream {
    queue: RunQueue,
    head: ResultHeader,
    /// All lines of the journal.
    all: Vec<u8>,
    /// Lines to send together with the next ones.
    held: Vec<u8>,
    added: Arc<Mutex<Added>>,
}

impl Stream {
    async fn run(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<JournalCommand>,
        lose: watch::Sender<bool>,
    ) {
        while let Some(order) = inbox.recv().await {
            let done = match order {
                JournalCommand::Append(lines) if *lose.borrow() => {
                    self.added.lock().refused.extend(lines);
                    Ok(())
                }
                JournalCommand::GiveUp if *lose.borrow() => Ok(()),
                JournalCommand::Append(lines) => self.append(&lines).await,
                JournalCommand::GiveUp => self.give_up().await,
            };
            if done.is_err() {
                lose.send_replace(true);
            }
        }
    }

    async fn append(&mut self, lines: &[u8]) -> Result<(), QueueError> {
        let is_first = self.all.is_empty();
        self.all.extend_from_slice(lines);
        self.held.extend_from_slice(lines);
        if is_first {
            // The first line only identifies the attempt, so it is sent together with the next
            // lines.
            return Ok(());
        }
        let lines = &std::mem::take(&mut self.held);
        let last = self.added.lock().last;
        let (sample, attempt) = (self.head.sample.as_str(), self.head.attempt);
        let appended = self.queue.journal(sample, attempt, lines, last).await;
        let mut added = self.added.lock();
        match appended {
            Ok(last) => {
                added.kept.extend_from_slice(lines);
                added.last = last;
                Ok(())
            }
            Err(error) => {
                added.refused.extend_from_slice(lines);
                Err(error)
            }
        }
    }

    /// Discards the journal so that the attempt restarts. The paid responses in the journal count
    /// as wasted.
    async fn give_up(&mut self) -> Result<(), QueueError> {
        let header = wasted(&self.head, &format!("j{}", self.all.len()));
        self.queue.send(header, &self.all).await?;
        let (sample, attempt) = (self.head.sample.as_str(), self.head.attempt);
        self.queue.drop_journal(sample, attempt).await?;
        self.all.clear();
        self.held.clear();
        *self.added.lock() = Added::default();
        Ok(())
    }
}

/// Returns the header of wasted responses in a journal. `suffix` makes their subject unique.
pub(super) fn wasted(head: &ResultHeader, suffix: &str) -> ResultHeader {
    ResultHeader {
        nonce: format!("{}{suffix}", head.nonce),
        wasted: Some("journal".to_owned()),
        ..head.clone()
    }
}

impl JournalStore for StreamJournal {
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        let mut open = self.open.lock();
        let one = open.get_mut(&(sample.to_owned(), attempt));
        Ok(one.map_or_else(Vec::new, |one| std::mem::take(&mut one.earlier)))
    }

    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()> {
        self.order(
            sample,
            attempt,
            JournalCommand::Append(lines.as_bytes().to_vec()),
        )
    }

    fn end(&self, _: &str, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()> {
        if let Some(one) = self.open.lock().get_mut(&(sample.to_owned(), attempt)) {
            one.earlier.clear();
        }
        self.order(sample, attempt, JournalCommand::GiveUp)
    }
}
