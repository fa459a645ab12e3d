//! The server of one task, a pure state machine without a network. It serves files by path and
//! records the received forms.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde_json::{Value, json};

use crate::{Site, SiteRequest, SiteResponse};

/// Server for one attempt at a task.
#[derive(Debug, Clone)]
pub(super) struct SiteServer {
    family: &'static str,
    data: String,
    posts: Vec<Value>,
}

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/webnav/pages");

/// Returns the name and text of every site file, sorted by name.
pub(super) fn files() -> BTreeMap<&'static str, &'static str> {
    let files = PAGES.files();
    files
        .filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
        .collect()
}

impl SiteServer {
    pub(super) fn new(family: &'static str, data: &Value) -> Self {
        Self {
            family,
            data: data.to_string(),
            posts: Vec::new(),
        }
    }
}

impl Site for SiteServer {
    fn start(&self) -> &'static str {
        "/"
    }

    /// Answers a request. A form sent to `/do/NAME` is recorded and redirects to `/done`.
    fn answer(&mut self, asked: SiteRequest) -> SiteResponse {
        let mut parts = asked.path.trim_matches('/').split('/');
        let first = parts.next().unwrap_or_default();
        if asked.post {
            let Some(action) = parts.next().filter(|_| first == "do") else {
                return missing();
            };
            let fields: serde_json::Map<_, _> = asked
                .fields
                .into_iter()
                .map(|(name, value)| (name, Value::String(value)))
                .collect();
            self.posts.push(json!({ "to": action, "fields": fields }));
            return SiteResponse {
                status: 303,
                location: Some("/done"),
                ..text("text/plain", "received")
            };
        }
        let family = self.family;
        match first {
            "" => file(&format!("{family}.html")).map_or_else(missing, html),
            "done" => file("done.html").map_or_else(missing, html),
            "site.css" => file(first).map_or_else(missing, |body| text("text/css", body)),
            "site.js" => file(first).map_or_else(missing, |body| text("text/javascript", body)),
            // Only scripts of pages may read the data. If a tab could show it, the agent would see
            // the solution.
            "data.js" if !asked.shown => text(
                "text/javascript",
                &format!("export default {};\n", self.data),
            ),
            _ => file(&format!("{family}-{first}.html")).map_or_else(missing, html),
        }
    }

    /// Returns the received forms in order:
    /// `{"posts": [{"to": "report", "fields": {"room": "B 12"}}]}`.
    fn state(&self) -> Value {
        json!({ "posts": self.posts })
    }
}

fn html(body: &str) -> SiteResponse {
    text("text/html; charset=utf-8", body)
}

fn missing() -> SiteResponse {
    SiteResponse {
        status: 404,
        ..file("missing.html").map_or_else(|| text("text/plain", "not found"), html)
    }
}

fn file(name: &str) -> Option<&'static str> {
    PAGES.get_file(name)?.contents_utf8()
}

fn text(content_type: &'static str, body: &str) -> SiteResponse {
    SiteResponse {
        status: 200,
        content_type,
        location: None,
        body: body.to_owned(),
    }
}
