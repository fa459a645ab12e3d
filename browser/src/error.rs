//! What can go wrong between the harness and a page, divided by who can do something about it.

use std::time::Duration;

use crate::tab::DialogKind;

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a browser or a page did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No Chromium was found.
    #[error(
        "no Chromium found: tried {tried}; install the Debian package chromium, or put one of them on PATH"
    )]
    NotInstalled {
        /// The programs that were looked for.
        tried: String,
    },
    /// Chromium was found, and did not start.
    #[error(
        "{program} did not start: {reason}; it may lack libraries: reinstall the Debian package chromium"
    )]
    NotStarted {
        /// The program.
        program: String,
        /// What the system or the browser said.
        reason: String,
    },
    /// Chromium's own sandbox is wanted, and cannot be had here.
    #[error("Chromium's own sandbox cannot be had here: {reason}")]
    NoSandbox {
        /// What the system or the browser said.
        reason: String,
    },
    /// The whole browser is gone.
    #[error("the browser ended: {0}")]
    BrowserEnded(String),
    /// The processes of the browser took more memory than they may.
    #[error("the browser took more than its {limit_mb} MB of memory, and was stopped")]
    OutOfMemory {
        /// The limit in megabytes.
        limit_mb: u64,
    },
    /// The process behind this page died; other pages go on.
    #[error("the page crashed")]
    PageCrashed,
    /// The tab was closed.
    #[error("the tab is closed")]
    TabClosed,
    /// The page did not answer in time.
    #[error("{what} took longer than {} s", .limit.as_secs_f64())]
    TimedOut {
        /// What was done.
        what: &'static str,
        /// The limit.
        limit: Duration,
    },
    /// The page's address is not one that this profile may reach.
    #[error("{url} is out of reach; within reach: {allowed}")]
    Blocked {
        /// The address asked for.
        url: String,
        /// The origins allowed, separated by commas.
        allowed: String,
    },
    /// The browser could not open the address.
    #[error("{url} could not be opened: {reason}")]
    Navigation {
        /// The address asked for.
        url: String,
        /// Chromium's word for it, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// A dialog is open, and until it is answered the page stands still.
    #[error("the page waits for an answer to its {kind} dialog: {message:?}")]
    DialogOpen {
        /// Its kind.
        kind: DialogKind,
        /// Its text.
        message: String,
    },
    /// There is no dialog to answer.
    #[error("no dialog is open")]
    NoDialog,
    /// The id was in an earlier dump, and its element is gone or not in the newest dump.
    #[error("[{id}] is stale: the page has changed since the dump that showed it")]
    StaleId {
        /// The id without brackets.
        id: String,
    },
    /// No dump of this page ever showed the id.
    #[error("[{id}] is unknown: no dump has shown it")]
    UnknownId {
        /// The id without brackets.
        id: String,
    },
    /// CSS that matches nothing.
    #[error("no element matches {selector:?}")]
    NoMatch {
        /// The selector as given.
        selector: String,
    },
    /// Neither an id nor CSS.
    #[error("{selector:?} is no selector: {reason}; right are 5, [5], or CSS")]
    MalformedSelector {
        /// The selector as given.
        selector: String,
        /// What is wrong.
        reason: String,
    },
    /// The element is there, and this cannot be done to it.
    #[error("{selector:?} cannot be used so: {reason}")]
    Inapplicable {
        /// The selector as given.
        selector: String,
        /// Why: covered, disabled, not a field, no such option.
        reason: String,
    },
    /// No such key.
    #[error(
        "{0:?} is no key; right are Enter, Tab, Escape, ArrowDown, a, or with modifiers Control+a"
    )]
    UnknownKey(String),
    /// The page was left before a script in it had come to an end.
    #[error("the page was left before the script had come to an end")]
    PageLeft,
    /// The JavaScript to evaluate threw.
    #[error("the script failed: {0}")]
    Script(String),
    /// The filter of the dump is no function, or threw.
    #[error("the filter of the dump failed: {0}")]
    Filter(String),
    /// The browser refused a command, or answered in an unknown form.
    #[error("the browser answered {method} with: {message}")]
    Protocol {
        /// The command of the `DevTools` protocol.
        method: String,
        /// Its answer.
        message: String,
    },
}

impl Error {
    /// Whether the browser failed rather than what was asked of it: the attempt cannot go on, and is not to blame.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::NotInstalled { .. }
            | Self::NotStarted { .. }
            | Self::NoSandbox { .. }
            | Self::BrowserEnded(_)
            | Self::OutOfMemory { .. }
            | Self::PageCrashed
            | Self::Protocol { .. } => true,
            Self::TabClosed
            | Self::TimedOut { .. }
            | Self::Blocked { .. }
            | Self::Navigation { .. }
            | Self::DialogOpen { .. }
            | Self::NoDialog
            | Self::StaleId { .. }
            | Self::UnknownId { .. }
            | Self::NoMatch { .. }
            | Self::MalformedSelector { .. }
            | Self::Inapplicable { .. }
            | Self::UnknownKey(_)
            | Self::PageLeft
            | Self::Script(_)
            | Self::Filter(_) => false,
        }
    }
}
