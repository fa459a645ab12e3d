//! The web as an environment: what a browser, a page and a host of apps are to the engine and its protocols.
//!
//! The engine knows no browser. Whoever runs it gives it a [`Browser`] by `Engine::with_browser`;
//! one opens a page or a host for each attempt, and dropping that closes it. Nothing here knows a benchmark: what the world of a
//! task is made of is the browser's to find by [`Task::sample`].

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

pub use action::{Acted, Action};
pub use app::{AppCall, AppHost, Reply};
pub use dump::{Dump, DumpAlso, DumpSettings, IdStyle, Indexed};
pub use error::{PageError, PageProblem};
pub use turn::{ActionResult, Envelope, How, LoggedTurn, Step, ToolAction};

/// Gives each attempt a world of its own: a fresh profile, with nothing within reach but what the task's world serves.
#[async_trait]
pub trait Browser: Send + Sync {
    /// Opens the page on which a task begins.
    ///
    /// # Errors
    /// [`PageProblem::Broken`] where there is no browser, or the task has no page.
    async fn open(&self, task: &Task) -> Result<Arc<dyn Page>, PageError>;

    /// Opens the host of a task's apps and documents, with the apps that run from the beginning. What apps ask for goes to `calls`.
    ///
    /// # Errors
    /// [`PageProblem::Broken`] where there is no browser, or the task has no host.
    async fn open_apps(
        &self,
        task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError>;
}

/// A page as an agent has it before it: the tab in front. Where an action opens another tab, that is in front from then on.
#[async_trait]
pub trait Page: Send + Sync {
    /// The page as text. Its ids are what selectors may name until the next dump.
    ///
    /// # Errors
    /// [`PageProblem::Dialog`] while a dialog is open, [`PageProblem::Script`], [`PageProblem::TimedOut`], [`PageProblem::Broken`].
    async fn dump(&self, settings: &DumpSettings) -> Result<Dump, PageError>;

    /// Does one thing on the page, waits for a navigation that follows, and says whether another page is there now.
    ///
    /// # Errors
    /// A [`PageError`] whose problem says what to do about it. Nothing has happened to the page then, as far as the browser knows.
    async fn act(&self, action: &Action) -> Result<Acted, PageError>;

    /// The text of the page as a person sees it.
    ///
    /// # Errors
    /// As for [`Page::dump`].
    async fn text(&self) -> Result<String, PageError>;

    /// Evaluates JavaScript in the page; a promise is awaited, and the value comes as JSON. Then waits for a navigation that follows,
    /// as [`Page::act`] does. There is no value where the page was left, or a dialog opened, before it had one. This is for actions
    /// that whoever set up the agent has written, never for a model's own code.
    ///
    /// # Errors
    /// [`PageProblem::Script`] where it throws, and as for [`Page::dump`].
    async fn run_script(&self, script: &str) -> Result<(Acted, Option<Value>), PageError>;

    /// A picture of what is visible.
    ///
    /// # Errors
    /// As for [`Page::dump`].
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Another tab in the same profile, on the same address: a child's own.
    ///
    /// # Errors
    /// As for [`Page::dump`].
    async fn new_tab(&self) -> Result<Arc<dyn Page>, PageError>;

    /// What pages asked for and did not get, for it is out of reach, since this was called last: addresses.
    fn take_refused(&self) -> Vec<String> {
        Vec::new()
    }

    /// Called when a message of the user that is not the last has been answered, for what is checked then.
    ///
    /// # Errors
    /// [`PageProblem::Broken`].
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// The state by which the task is judged: of the pages, of the server behind them, and of the last `answer`, if there was one.
    /// What it holds is a matter between the world and the scorer. None where the answer alone counts.
    ///
    /// # Errors
    /// [`PageProblem::Broken`].
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}
