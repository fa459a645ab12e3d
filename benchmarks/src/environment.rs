//! What surrounds an agent besides its context: web sites, apps and documents, as data and state machines without a network.

use serde_json::Value;

/// The web site of one attempt: whoever runs the attempt puts it on loopback.
pub trait Site: Send {
    /// The path on which the attempt begins.
    fn start(&self) -> &'static str;

    /// Answers a request.
    fn answer(&mut self, asked: Asked) -> Answered;

    /// What it has received, as the scorer reads it.
    fn state(&self) -> Value;
}

/// A request as a [`Site`] sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Whether it is a `POST`; all else counts as `GET`.
    pub post: bool,
    /// The path, decoded: `/person/3`.
    pub path: String,
    /// Whether a tab would show the answer (`Sec-Fetch-Dest: document`), rather than a script read it.
    pub shown: bool,
    /// The fields of a form, in their order.
    pub fields: Vec<(String, String)>,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status of HTTP.
    pub status: u16,
    /// The type of the body.
    pub content_type: &'static str,
    /// Where to go instead.
    pub location: Option<&'static str>,
    /// The body.
    pub body: String,
}

/// The world in which an app is built: what is open, what runs, and how the outcome is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppWorld {
    /// Open documents, URI and text, in their order.
    pub documents: Vec<(String, String)>,
    /// The URI of the document in front.
    pub active: Option<String>,
    /// HTML documents of the apps that run from the beginning.
    pub running: Vec<String>,
    /// What the user says after the query.
    pub follow_ups: Vec<String>,
    /// The body of an async JavaScript function that uses the newest app and returns what it shows.
    pub check: String,
}
