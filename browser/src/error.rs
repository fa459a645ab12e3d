//! Errors of browsers and pages. [`Error::is_infrastructure`] distinguishes failures of the browser
//! from failed actions.

use std::time::Duration;

use model::web::PageProblem;

/// The browser's error messages for a script whose document was replaced while it ran.
pub(crate) const DOCUMENT_REPLACED: [&str; 3] = [
    "navigated or closed",
    "Promise was collected",
    "context was destroyed",
];
/// The browser's error messages for commands to a document or frame that no longer exists.
const DOCUMENT_GONE: [&str; 4] = [
    "Session with given id",
    "No frame for given id",
    "Frame with the given id",
    "Cannot find context",
];

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Reason why a request to a browser or a page failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No Chromium was found.
    #[error(
        "no Chromium found: tried {tried}; install the Debian package chromium, or put one of them on PATH"
    )]
    NotInstalled {
        /// Programs that were tried.
        tried: String,
    },
    /// Chromium was found but did not start.
    #[error(
        "{program} did not start: {reason}; it may lack libraries: reinstall the Debian package chromium"
    )]
    NotStarted {
        /// Path of the program.
        program: String,
        /// Error of the system or the browser.
        reason: String,
    },
    /// Chromium's own sandbox is required but not available here.
    #[error("Chromium's own sandbox is not available on this machine: {reason}")]
    NoSandbox {
        /// Error of the system or the browser.
        reason: String,
    },
    /// The whole browser has ended.
    #[error("the browser ended: {0}")]
    BrowserEnded(String),
    /// The browser's processes exceeded their memory limit.
    #[error("the browser exceeded its memory limit of {limit_mb} MB and was stopped")]
    OutOfMemory {
        /// Limit in megabytes.
        limit_mb: u64,
    },
    /// The process of this page died; other pages are unaffected.
    #[error("the page crashed")]
    PageCrashed,
    /// The tab was closed.
    #[error("the tab is closed")]
    TabClosed,
    /// The browser or the page did not respond within the time limit.
    #[error("{what} took longer than {} s", .limit.as_secs_f64())]
    TimedOut {
        /// Operation that timed out.
        what: &'static str,
        /// Time limit.
        limit: Duration,
    },
    /// The profile is not allowed to reach the address.
    #[error("{url} is out of reach; within reach: {allowed}")]
    Blocked {
        /// Requested address.
        url: String,
        /// Allowed origins, separated by commas.
        allowed: String,
    },
    /// The browser could not open the address.
    #[error("{url} could not be opened: {reason}")]
    Navigation {
        /// Requested address.
        url: String,
        /// Chromium's error, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// A dialog is open and stops the page until it is answered.
    #[error("the page waits for an answer to its {kind} dialog: {message:?}")]
    DialogOpen {
        /// Kind of the dialog.
        kind: String,
        /// Text of the dialog.
        message: String,
    },
    /// No dialog is open.
    #[error("no dialog is open")]
    NoDialog,
    /// The id was in an earlier dump, but its element was removed or is not in the newest dump.
    #[error("[{id}] is stale: the page has changed since the dump that showed it")]
    StaleId {
        /// Id without brackets.
        id: String,
    },
    /// No dump of this page has shown the id.
    #[error("[{id}] is unknown: no dump has shown it")]
    UnknownId {
        /// Id without brackets.
        id: String,
    },
    /// A CSS selector does not match any element.
    #[error("no element matches {selector:?}")]
    NoMatch {
        /// Selector as given.
        selector: String,
    },
    /// A selector is neither an id nor CSS.
    // prose: read by models
    #[error("{selector:?} is no selector: {reason}; right are 5, [5], or CSS")]
    MalformedSelector {
        /// Selector as given.
        selector: String,
        /// Reason why the selector is invalid.
        reason: String,
    },
    /// The element exists, but the action is not possible on it.
    #[error("{selector:?} cannot be used so: {reason}")]
    Inapplicable {
        /// Selector as given.
        selector: String,
        /// Reason, for example that the element is covered or disabled.
        reason: String,
    },
    /// The key is unknown.
    #[error(
        "{0:?} is no key; right are Enter, Tab, Escape, ArrowDown, a, or with modifiers Control+a"
    )]
    UnknownKey(String),
    /// The page was left before a script in it finished.
    #[error("the page was left before the script had come to an end")]
    PageLeft,
    /// The evaluated JavaScript threw.
    #[error("the script failed: {0}")]
    Script(String),
    /// The filter of the dump is not a function, or threw.
    #[error("the filter of the dump failed: {0}")]
    Filter(String),
    /// The browser rejected a command, or its response has an unknown format.
    #[error("unexpected response to {method}: {message}")]
    Protocol {
        /// Command of the `DevTools` protocol.
        method: String,
        /// Response of the browser.
        message: String,
    },
}

impl Error {
    /// Whether the document was replaced or its frame removed.
    pub(crate) fn is_document_gone(&self) -> bool {
        match self {
            Self::PageLeft => true,
            Self::Protocol { message, .. } => DOCUMENT_REPLACED
                .iter()
                .chain(&DOCUMENT_GONE)
                .any(|words| message.contains(words)),
            _ => false,
        }
    }

    /// Whether the browser itself failed, rather than the requested action. After such a failure,
    /// which the agent did not cause, the attempt cannot continue.
    pub fn is_infrastructure(&self) -> bool {
        self.problem() == PageProblem::Broken
    }

    /// Returns the kind of the problem.
    pub const fn problem(&self) -> PageProblem {
        match self {
            Self::StaleId { .. } => PageProblem::StaleId,
            Self::UnknownId { .. } => PageProblem::UnknownId,
            Self::NoMatch { .. } => PageProblem::NoMatch,
            Self::MalformedSelector { .. } | Self::UnknownKey(_) => PageProblem::Malformed,
            Self::Inapplicable { .. } | Self::TabClosed => PageProblem::Inapplicable,
            Self::Blocked { .. } | Self::Navigation { .. } => PageProblem::Unreachable,
            Self::DialogOpen { .. } | Self::NoDialog => PageProblem::Dialog,
            Self::Script(_) | Self::Filter(_) | Self::PageLeft => PageProblem::Script,
            Self::TimedOut { .. } => PageProblem::TimedOut,
            Self::NotInstalled { .. }
            | Self::NotStarted { .. }
            | Self::NoSandbox { .. }
            | Self::BrowserEnded(_)
            | Self::OutOfMemory { .. }
            | Self::PageCrashed
            | Self::Protocol { .. } => PageProblem::Broken,
        }
    }
}
