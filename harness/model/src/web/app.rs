//! Interface to the host of apps: self-contained HTML documents that may query a model and read
//! documents.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;

use super::PageError;
use crate::Image;

/// Runs apps, each in its own tab, and provides the open documents.
///
/// An app can reach only its own document and two addresses, with any method of `fetch`.
/// `wry://inference` expects a prompt as the body, and `wry://document` the URI of a document. Each
/// request becomes an [`AppCall`]; the reply becomes the text of a response with status 200. Calls
/// are sent, in order, to the receiver passed to [`Browser::open_apps`](super::Browser::open_apps).
/// If the receiver is gone, the app's `fetch` fails.
#[async_trait]
pub trait AppHost: Send + Sync {
    /// Opens a document as an app, and waits until it has loaded or its loading time is over.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails. A document
    /// whose scripts fail is still an app, because its behavior is its author's responsibility.
    async fn launch(&self, html: &str) -> Result<(), PageError>;

    /// Returns the titles of the running apps, oldest first, as given in the launched documents.
    /// Later changes of a title are ignored, because they may come from untrusted documents.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn running(&self) -> Result<Vec<String>, PageError>;

    /// Returns the URIs of the open documents, in order.
    fn documents(&self) -> Vec<String>;

    /// Returns the URI of the document in front.
    fn active_document(&self) -> Option<String>;

    /// Returns the content of an open document, or `None` for a URI that is not open.
    fn document(&self, uri: &str) -> Option<String>;

    /// Returns a screenshot of the newest app.
    ///
    /// # Errors
    /// Returns the errors of [`AppHost::running`], and
    /// [`PageProblem::Inapplicable`](super::PageProblem::Inapplicable) if no app is running.
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Runs the checks that are due after each answered user message except the last. The answer is
    /// empty if an app gave it. Calls of apps continue meanwhile, as for [`AppHost::state`].
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// Uses the apps as the task's check specifies, and returns the state to score, or `None`
    /// without a check. Calls of apps continue meanwhile, so the caller must answer them while
    /// awaiting this. `answer` is the last answer, if any.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}

/// Request of an app.
#[derive(Debug)]
pub enum AppCall {
    /// Queries a model with a prompt, which is sent unchanged.
    Inference {
        /// Prompt for the model.
        prompt: String,
        /// Channel for the answer. Dropping it makes the app's `fetch` fail.
        reply: Reply,
    },
    /// Requests the content of a document.
    Document {
        /// URI of the document, as the app wrote it.
        uri: String,
        /// Channel for the content, which is empty if there is no such document.
        reply: Reply,
    },
}

/// Channel for the text of a reply.
pub type Reply = oneshot::Sender<String>;
