//! Environments of agents: web sites, apps and documents, as data and as state machines without a
//! network.

use std::path::PathBuf;

use serde_json::Value;

/// Web site of one attempt. The runner of the attempt serves it on a loopback address.
pub trait Site: Send {
    /// Returns the path of the attempt's first page.
    fn start(&self) -> &'static str;

    /// Answers a request.
    fn answer(&mut self, asked: SiteRequest) -> SiteResponse;

    /// Returns the received forms as JSON for the scorer.
    fn state(&self) -> Value;
}

/// A request to a [`Site`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRequest {
    /// Whether the method is `POST`; all other methods count as `GET`.
    pub post: bool,
    /// Decoded path, such as `/person/3`.
    pub path: String,
    /// Whether the response is shown in a tab (`Sec-Fetch-Dest: document`) rather than read by a
    /// script.
    pub shown: bool,
    /// Form fields, in order.
    pub fields: Vec<(String, String)>,
}

/// A response of a [`Site`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteResponse {
    /// HTTP status.
    pub status: u16,
    /// Content type of the body.
    pub content_type: &'static str,
    /// Redirect target.
    pub location: Option<&'static str>,
    /// Response body.
    pub body: String,
}

/// Environment in which an agent builds an app: open documents, running apps, and checks of the
/// outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppEnvironment {
    /// URI and text of each open document, in order.
    pub documents: Vec<(String, String)>,
    /// URI of the active document.
    pub active: Option<String>,
    /// HTML documents of the apps that are already running.
    pub running: Vec<String>,
    /// Body of an async JavaScript function that operates the newest app and returns the displayed
    /// result. `None` if `checks` are used instead.
    pub check: Option<String>,
    /// Check after each user message, in order; `None` for a message without a check.
    pub checks: Vec<Option<Check>>,
}

/// Environment of a user-supplied row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserEnvironment {
    /// A web site.
    Site(UserSite),
    /// Documents for which the agent builds apps.
    Apps(AppEnvironment),
}

/// A user-supplied web site and its initial state in each attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSite {
    /// Source of the site.
    pub source: SiteSource,
    /// First page of an attempt: an address of the site, or a path on it.
    pub start: String,
    /// Additional reachable origins, such as `https://example.com`.
    pub allow: Vec<String>,
    /// Cookies of the site, by name.
    pub cookies: Vec<(String, String)>,
    /// Entries of the site's `localStorage`, by name.
    pub storage: Vec<(String, String)>,
    /// Width and height of the viewport in pixels; `None` for the default.
    pub viewport: Option<(u32, u32)>,
    /// Check after each user message, in order; `None` for a message without a check.
    pub checks: Vec<Option<Check>>,
}

/// A foreign origin that rows allow pages to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignOrigin {
    /// The origin, such as `https://example.com`.
    pub origin: String,
    /// Field that names the origin: `url` or `allow`.
    pub field: &'static str,
    /// Location of the first row that names the origin.
    pub place: String,
}

impl UserSite {
    /// Returns the foreign origins that pages of this site may reach, each after the field that
    /// names it.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = (&'static str, String)> {
        let own = match &self.source {
            SiteSource::Address(address) => Some(("url", origin_of(address))),
            SiteSource::Folder(_) | SiteSource::Command(_) => None,
        };
        let allowed = self.allow.iter().map(|origin| ("allow", origin_of(origin)));
        own.into_iter().chain(allowed)
    }
}

/// Returns the origin of a web address: the part before its path.
fn origin_of(address: &str) -> String {
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find(['/', '?', '#']);
    let end = end.map_or(address.len(), |end| authority + end);
    address[..end].to_ascii_lowercase()
}

/// Source of a user-supplied web site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteSource {
    /// An existing site at this address.
    Address(String),
    /// A folder of files to serve.
    Folder(PathBuf),
    /// A server that is started for the attempt.
    Command(ServerCommand),
}

/// Command that starts a server, as given in a row. `{port}` in its words and address stands for a
/// free port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Origin of the server, on loopback.
    pub address: String,
    /// Working directory.
    pub folder: PathBuf,
}

/// Check after a user message. The expected result is in the sample's `expected`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// JavaScript to run in the active page or the newest app: the body of an async function, or an
    /// expression.
    Page(String),
    /// An address of the site, or a path on it, which is requested and returns JSON.
    Request(String),
    /// Search for the expected texts in the agent's answer.
    Answer,
}
