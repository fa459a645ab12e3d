//! What surrounds an agent besides its context: web sites, apps and documents, as data and state machines without a network.

use std::path::PathBuf;

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
    /// The body of an async JavaScript function that uses the newest app and returns what it shows. None where `checks` take
    /// its place.
    pub check: Option<String>,
    /// What is checked after each message of the user, in their order.
    pub checks: Vec<Option<Check>>,
}

/// What a row of one's own is worked on in, besides its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnWorld {
    /// A web site.
    Site(OwnSite),
    /// Documents, and the apps that are made for them.
    Apps(AppWorld),
}

/// A web site of one's own, and how it is found at the beginning of each attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSite {
    /// Where it comes from.
    pub source: SiteSource,
    /// Where an attempt begins: an address of the site, or a path on it.
    pub start: String,
    /// Origins within reach besides its own, such as `https://example.com`.
    pub allow: Vec<String>,
    /// Cookies of the site, by name.
    pub cookies: Vec<(String, String)>,
    /// Its `localStorage`, by name.
    pub storage: Vec<(String, String)>,
    /// Width and height of the page in pixels; none for the usual ones.
    pub viewport: Option<(u32, u32)>,
    /// What is checked after each message of the user, in their order.
    pub checks: Vec<Option<Check>>,
}

/// An origin of others that rows let pages reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignOrigin {
    /// The origin, such as `https://example.com`.
    pub origin: String,
    /// What the field that names it is: `url` or `allow`.
    pub field: &'static str,
    /// The place of the first row that names it.
    pub place: String,
}

impl OwnSite {
    /// Returns the origins of others that pages of this site may reach, with the fields that name them.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = (&'static str, String)> {
        let own = match &self.source {
            SiteSource::Address(address) => Some(("url", origin_of(address))),
            SiteSource::Folder(_) | SiteSource::Command(_) => None,
        };
        let allowed = self.allow.iter().map(|origin| ("allow", origin_of(origin)));
        own.into_iter().chain(allowed)
    }
}

/// The part of a web address before its path.
fn origin_of(address: &str) -> String {
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find(['/', '?', '#']);
    let end = end.map_or(address.len(), |end| authority + end);
    address[..end].to_ascii_lowercase()
}

/// Where a web site of one's own comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteSource {
    /// It is there, at this address.
    Address(String),
    /// Files, to be served.
    Folder(PathBuf),
    /// A server that is started for the attempt.
    Command(ServerCommand),
}

/// A server that a row names. `{port}` in its words and its address stands for a free port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The origin that it answers at, on loopback.
    pub address: String,
    /// Where it runs.
    pub folder: PathBuf,
}

/// How what came of a message of the user is found out. What is right is in the sample's `expected`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// JavaScript in the page in front, or in the newest app: the body of an async function, or an expression.
    Page(String),
    /// A request to the server, whose JSON counts: an address of the site, or a path on it.
    Request(String),
    /// The text of the answer.
    Answer,
}
