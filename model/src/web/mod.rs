//! The web as an environment: interfaces of browsers, pages and app hosts, used by the engine and
//! its protocols.
//!
//! The engine does not contain a browser. The caller passes a [`Browser`] to
//! `Engine::with_browser`. The browser opens a page or an app host for each attempt, and dropping
//! the page or host closes it. This module does not depend on benchmarks: the browser looks up a
//! task's environment by [`Task::sample`].

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
pub use dump::{Dump, DumpElement, DumpExtensions, DumpSettings, IdStyle};
pub use error::{PageError, PageProblem};
pub use turn::{ActionResult, ActionStatus, Envelope, LoggedTurn, Step, ToolAction};

/// Creates an isolated environment for each attempt: a fresh profile that can access only the
/// addresses of the task's environment.
#[async_trait]
pub trait Browser: Send + Sync {
    /// Opens the start page of a task.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if there is no browser, or if the task has no page.
    async fn open(&self, task: &Task) -> Result<Arc<dyn Page>, PageError>;

    /// Opens the host of a task's apps and documents, and launches the initial apps. Requests from
    /// apps are sent to `calls`.
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
    /// Returns [`PageProblem::Dialog`] if a dialog is open, [`PageProblem::Script`],
    /// [`PageProblem::TimedOut`] or [`PageProblem::Broken`].
    async fn dump(&self, settings: &DumpSettings) -> Result<Dump, PageError>;

    /// Performs an action, waits for a resulting navigation, and returns the effect.
    ///
    /// # Errors
    /// Returns a [`PageError`] if the action fails. As far as the browser can detect, a failed
    /// action has no effect.
    async fn act(&self, action: &Action) -> Result<ActionEffect, PageError>;

    /// Returns the text of the page as a person sees it.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn text(&self) -> Result<String, PageError>;

    /// Evaluates JavaScript in the page, waits for a resulting navigation as [`Page::act`] does,
    /// and returns the value as JSON. A promise is awaited. There is no value if the page navigates
    /// or opens a dialog first. Use this only for actions written by the author of the agent, never
    /// for code from a model.
    ///
    /// # Errors
    /// Returns [`PageProblem::Script`] if the script throws, and the errors of
    /// [`Page::dump`].
    async fn run_script(&self, script: &str) -> Result<(ActionEffect, Option<Value>), PageError>;

    /// Returns a screenshot of the viewport.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Opens another tab in the same profile at the same address, for a child.
    ///
    /// # Errors
    /// Returns the errors of [`Page::dump`].
    async fn new_tab(&self) -> Result<Arc<dyn Page>, PageError>;

    /// Returns and clears the blocked requests: addresses outside the environment that pages
    /// requested.
    fn drain_blocked_requests(&self) -> Vec<String> {
        Vec::new()
    }

    /// Runs the checks that the task defines for a user message, after the message has been
    /// answered. Not called for the last message.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if the browser fails.
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// Returns the state to score, derived from the pages, their server and the last `answer`, if
    /// any. The environment and the scorer agree on its format. Returns `None` if only the answer
    /// is scored.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`] if the browser fails.
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}
