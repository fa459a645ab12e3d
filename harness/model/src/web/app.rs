//! Where apps run: self-contained HTML documents that may ask a model and read documents.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;

use super::PageError;
use crate::Image;

/// Runs apps, each in a tab of its own, and knows the documents that are open beside them.
///
/// An app reaches nothing but its own document and two addresses, by `fetch` and with any method: `wry://inference`, whose body is
/// a prompt, and `wry://document`, whose body is the URI of a document. Each request becomes an [`AppCall`]; its answer is the
/// text of a response with status 200. Calls go to the receiver that was passed to [`Browser::open_apps`](super::Browser::open_apps), in
/// the order in which apps make them. If the receiver is gone, the app's `fetch` fails.
#[async_trait]
pub trait AppHost: Send + Sync {
    /// Opens a document as an app, and waits until it has loaded or has used up the time for that.
    ///
    /// # Errors
    /// [`PageProblem::Broken`](super::PageProblem::Broken) for a browser that does not work. A document whose scripts fail is an app
    /// all the same: what it does is its author's.
    async fn launch(&self, html: &str) -> Result<(), PageError>;

    /// The apps that run, oldest first: the title that the document of each was launched with. Later changes
    /// of the title are ignored, for they may come from a document.
    ///
    /// # Errors
    /// [`PageProblem::Broken`](super::PageProblem::Broken).
    async fn running(&self) -> Result<Vec<String>, PageError>;

    /// The URIs of the open documents, in their order.
    fn documents(&self) -> Vec<String>;

    /// The URI of the document in front.
    fn active_document(&self) -> Option<String>;

    /// What an open document holds; none for a URI that is not open.
    fn document(&self, uri: &str) -> Option<String>;

    /// A picture of the newest app.
    ///
    /// # Errors
    /// As for [`AppHost::running`], and [`PageProblem::Inapplicable`](super::PageProblem::Inapplicable) where no app runs.
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Called when a message of the user that is not the last has been answered, in the empty text by an app, for what is checked
    /// then. Calls of the apps go on meanwhile, as for [`AppHost::state`].
    ///
    /// # Errors
    /// [`PageProblem::Broken`](super::PageProblem::Broken).
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// Uses the apps as the task's check says, and gives the state by which the task is judged. Calls of the apps go on meanwhile:
    /// whoever awaits this must answer them. `answer` is the last one, if there was one. Where nothing is checked, there is none.
    ///
    /// # Errors
    /// [`PageProblem::Broken`](super::PageProblem::Broken).
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}

/// What an app asks for.
#[derive(Debug)]
pub enum AppCall {
    /// A model's answer to a prompt, which is sent as it is.
    Inference {
        /// The prompt.
        prompt: String,
        /// Where the answer goes. Dropping it makes the app's `fetch` fail.
        reply: Reply,
    },
    /// What a document holds.
    Document {
        /// The document's URI, as the app gave it.
        uri: String,
        /// Where the text goes: the empty one if there is no such document.
        reply: Reply,
    },
}

/// Where the text of an answer goes.
pub type Reply = oneshot::Sender<String>;
