//! The web as an environment: interfaces of browsers, pages and app hosts, used by the engine and
//! its protocols.
//!
//! The engine does not contain a browser. The caller passes a [`Browser`] to
//! `Engine::with_browser`. It opens a page or a host for each attempt, and dropping that closes it.
//! This module does not depend on benchmarks: the browser looks up a task's environment by
//! [`Task::sample`].

mod action;
mod app;
mod dump;
mod error;
mod turn;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::{Image, Task};

pub use action::{Action, ActionEffect};
pub use app::{AppCall, AppHost, Reply};
pub use dump::{Dump, DumpAlso, DumpElement, DumpSettings, IdStyle};
pub use error::{PageError, PageProblem};
pub use turn::{ActionResult, ActionStatus, Envelope, LoggedTurn, Step, ToolAction};

/// Creates an isolated environment for each attempt: a fresh profile that can reach only what the
/// task's environment serves.
#[async_trait]
pub trait Browser: Send + Sync {
    /// Opens the start page of a task.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if there is no browser, or if the task has no page.
    async fn open(&self, task: &Task) -> Result<Arc<dyn Page>, PageError>;

    /// Opens the host of a task's apps and documents, and starts its initial apps. Requests of apps
    /// are sent to `calls`.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if there is no browser, or if the task has no host.
    async fn open_apps(
        &self,
        task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError>;
}

/// The page that an agent sees: the tab in front. A tab opened by an action comes to the front.
#[async_trait]
pub trait Page: Send + Sync {
    /// Returns the page as text. Its ids are valid as selectors until the next dump.
    ///
    /// # Errors
    /// Returns [`PageProblem::Dialog`] while a dialog is open, [`PageProblem::Script`],
    /// [`PageProblem::TimedOut`] or [`PageProblem::Broken`].
    async fn dump(&self, settings: &DumpSettings) -> Result<Dump, PageError>;

    /// Performs an action, waits for a resulting navigation, and returns whether the page changed.
    ///
    /// # Errors
    /// Returns a [`PageError`] whose problem indicates how to handle it. As far as the browser
    /// knows, the page is then unchanged.
    async fn act(&self, action: &Action) -> Result<ActionEffect, PageError>;

    /// Returns the text of the page as a person sees it.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn text(&self) -> Result<String, PageError>;

    /// Evaluates JavaScript in the page, awaits a promise, and returns the value as JSON. Then
    /// waits for a resulting navigation, as [`Page::act`] does. There is no value if the page
    /// navigated or opened a dialog first. This is for actions written by the author of the agent,
    /// never for a model's own code.
    ///
    /// # Errors
    /// Returns [`PageProblem::Script`] if it throws, and the errors of [`Page::dump`].
    async fn run_script(&self, script: &str) -> Result<(ActionEffect, Option<Value>), PageError>;

    /// Returns a screenshot of the visible part.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Opens another tab in the same profile at the same address, for a child.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn new_tab(&self) -> Result<Arc<dyn Page>, PageError>;

    /// Returns and clears the addresses outside the environment that pages have requested and that
    /// were blocked.
    fn drain_blocked_requests(&self) -> Vec<String> {
        Vec::new()
    }

    /// Runs the checks that are due after each answered user message except the last.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if the browser fails.
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// Returns the state to score: of the pages, of the server behind them, and of the last
    /// `answer`, if any. The environment and the scorer agree on its content. Returns `None` if
    /// only the answer is scored.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if the browser fails.
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}
