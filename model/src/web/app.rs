//! Interface to the host of apps. An app is a self-contained HTML document that can query a model
//! and read documents.

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;

use super::PageError;
use crate::Image;

/// Runs each app in its own tab, and provides the open documents.
///
/// Besides its own document, an app can `fetch` only two addresses, with any HTTP method:
/// `wry://inference`, with a prompt as the body, and `wry://document`, with the URI of a document
/// as the body. Each request becomes an [`AppCall`]; the reply becomes the text of a response with
/// status 200. Calls are sent in order to the channel passed to
/// [`Browser::open_apps`](super::Browser::open_apps). If its receiver has been dropped, the app's
/// `fetch` fails.
#[async_trait]
pub trait AppHost: Send + Sync {
    /// Opens a document as an app, and waits until it has loaded or the loading timeout has
    /// expired.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    /// An error in a script of the document is ignored.
    async fn launch(&self, html: &str) -> Result<(), PageError>;

    /// Returns the titles of the running apps, oldest first, as specified in the launched
    /// documents. Later changes of a title are ignored, because they may come from untrusted
    /// documents.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn running(&self) -> Result<Vec<String>, PageError>;

    /// Returns the URIs of the open documents, in order.
    fn documents(&self) -> Vec<String>;

    /// Returns the URI of the document in front, if any.
    fn active_document(&self) -> Option<String>;

    /// Returns the content of an open document, or `None` for a URI that is not open.
    fn document(&self, uri: &str) -> Option<String>;

    /// Returns a screenshot of the newest app.
    ///
    /// # Errors
    /// Returns the errors of [`AppHost::running`], and
    /// [`PageProblem::Inapplicable`](super::PageProblem::Inapplicable) if no app is running.
    async fn screenshot(&self) -> Result<Image, PageError>;

    /// Runs the checks that the task defines for a user message, after the message has been
    /// answered. Not called for the last message. `_answer` is empty if an app is the answer. As
    /// with [`AppHost::state`], the caller must answer the calls of apps meanwhile.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn answered(&self, _answer: &str) -> Result<(), PageError> {
        Ok(())
    }

    /// Operates the apps as the task's check specifies, and returns the state to score, or `None`
    /// without a check. Apps keep making calls meanwhile, and the caller must answer them while
    /// awaiting this. `answer` is the last answer, if any.
    ///
    /// # Errors
    /// Returns [`PageProblem::Broken`](super::PageProblem::Broken) if the browser fails.
    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError>;
}

/// A request from an app.
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
        /// Channel for the reply: the content, or an empty string if the document does not exist.
        reply: Reply,
    },
}

/// Channel for the text of a reply.
pub type Reply = oneshot::Sender<String>;
