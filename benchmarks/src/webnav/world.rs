//! The server of one task: which file answers which address, and what forms have sent. A pure state machine without a network.

use serde_json::{Value, json};

use crate::{Answered, Asked, Site};

/// The site of one attempt at a task.
#[derive(Debug, Clone)]
pub(super) struct World {
    family: &'static str,
    data: String,
    posts: Vec<Value>,
}

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("pages/", $name)))),*]
    };
}

/// Name and text of every file of the sites.
pub(super) fn files() -> &'static [(&'static str, &'static str)] {
    const FILES: &[(&str, &str)] = pages![
        "autocomplete.html",
        "branches-branch.html",
        "branches.html",
        "changing.html",
        "compare-supplier.html",
        "compare.html",
        "details.html",
        "dialog.html",
        "done.html",
        "filter.html",
        "find-department.html",
        "find-person.html",
        "find-report.html",
        "find.html",
        "fold.html",
        "form.html",
        "missing.html",
        "paginate.html",
        "site.css",
        "site.js",
        "tabs-sheet.html",
        "tabs.html",
    ];
    FILES
}

impl World {
    pub(super) fn new(family: &'static str, data: &Value) -> Self {
        Self {
            family,
            data: data.to_string(),
            posts: Vec::new(),
        }
    }
}

impl Site for World {
    fn start(&self) -> &'static str {
        "/"
    }

    /// Answers a request. A form sent to `/do/NAME` is kept and leads to `/done`.
    fn answer(&mut self, asked: Asked) -> Answered {
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
            return Answered {
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
            // The data is the pages' own: a tab that showed it would spare the agent its task.
            "data.js" if !asked.shown => text(
                "text/javascript",
                &format!("export default {};\n", self.data),
            ),
            _ => file(&format!("{family}-{first}.html")).map_or_else(missing, html),
        }
    }

    /// What forms have sent, in order: `{"posts": [{"to": "report", "fields": {"room": "B 12"}}]}`.
    fn state(&self) -> Value {
        json!({ "posts": self.posts })
    }
}

fn html(body: &str) -> Answered {
    text("text/html; charset=utf-8", body)
}

fn missing() -> Answered {
    Answered {
        status: 404,
        ..file("missing.html").map_or_else(|| text("text/plain", "not found"), html)
    }
}

fn file(name: &str) -> Option<&'static str> {
    let found = files().iter().find(|(own, _)| *own == name);
    found.map(|(_, body)| *body)
}

fn text(content_type: &'static str, body: &str) -> Answered {
    Answered {
        status: 200,
        content_type,
        location: None,
        body: body.to_owned(),
    }
}
