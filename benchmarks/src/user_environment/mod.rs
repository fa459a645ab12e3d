//! Parses the environment fields of user-supplied rows: a web site or documents, the user's
//! messages, and checks.

mod check;
mod digest;

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};

use crate::contained::contained;
use crate::fields::{Fault, Row, texts};
use crate::{AppEnvironment, Check, ServerCommand, SiteSource, UserEnvironment, UserSite};
use check::{is_origin, is_web_address, known, read_check, wrong};

pub(crate) use digest::EnvironmentDigests;

/// Maximum total size of a row's site files or documents, in bytes.
const MOST_BYTES: u64 = 64_000_000;

/// Names of a row's environment fields.
pub(crate) struct EnvironmentFields {
    pub url: String,
    pub site: String,
    pub command: String,
    pub address: String,
    pub allow: String,
    pub cookies: String,
    pub storage: String,
    pub viewport: String,
    pub documents: String,
    pub turns: String,
    pub selection: String,
    pub check: String,
    /// Fields named in the description, which are used in every row that has them. Other
    /// environment fields are used only in rows with a check or turns; in other rows, a field such
    /// as `url` is plain metadata.
    pub named: Vec<String>,
    /// Whether a null field of an object counts as absent, as in structs from Parquet.
    pub is_null_absent: bool,
}

/// A row's user messages and their checks.
#[derive(Debug, Default)]
pub(crate) struct UserDialogue {
    /// The user's messages; empty if the row has only a query.
    pub messages: Vec<String>,
    /// Check and expected result of each message, or of the query if there are no messages.
    checks: Vec<Option<(Check, Value)>>,
    /// Text that the user has selected on the page, if the row has a query. In a row with turns,
    /// the messages include the selections.
    pub selection: Option<String>,
    /// Name of the field with the selection, if any.
    selected: Option<String>,
}

impl UserDialogue {
    /// Whether any message has a check.
    pub(crate) fn is_checked(&self) -> bool {
        self.checks.iter().any(Option::is_some)
    }

    /// Returns the expected value in the form that the scorer `checks` reads.
    pub(crate) fn expected(&self) -> Value {
        let one = |check: &Option<(Check, Value)>| match check {
            None => Value::Null,
            Some((Check::Page(_), right)) => json!({ "page": right }),
            Some((Check::Request(_), right)) => json!({ "request": right }),
            Some((Check::Answer, right)) => json!({ "answer": right }),
        };
        json!({ "checks": self.checks.iter().map(one).collect::<Vec<_>>() })
    }

    fn how(&self) -> Vec<Option<Check>> {
        let how = |check: &Option<(Check, Value)>| check.as_ref().map(|(check, _)| check.clone());
        self.checks.iter().map(how).collect()
    }
}

impl EnvironmentFields {
    pub(crate) fn all(&self) -> [&String; 12] {
        [
            &self.url,
            &self.site,
            &self.command,
            &self.address,
            &self.allow,
            &self.cookies,
            &self.storage,
            &self.viewport,
            &self.documents,
            &self.turns,
            &self.selection,
            &self.check,
        ]
    }

    /// Parses the user's messages and their checks.
    pub(crate) fn talk(&self, row: &Row) -> Result<UserDialogue, Fault> {
        let check = match self.structure(row, &self.check)? {
            None => None,
            Some(Value::Object(check)) => Some(read_check(&self.check, &check)?),
            Some(other) => {
                return Err(wrong(
                    &self.check,
                    &other,
                    "an object such as {\"answer\": \"Paris\"}",
                ));
            }
        };
        let turns = match self.structure(row, &self.turns)? {
            None => {
                let counts = check.is_some() || self.named.contains(&self.selection);
                let selection = if counts {
                    text(row, &self.selection)?
                } else {
                    None
                };
                return Ok(UserDialogue {
                    messages: Vec::new(),
                    checks: vec![check],
                    selected: selection.as_ref().map(|_| self.selection.clone()),
                    selection,
                });
            }
            Some(Value::Array(turns)) if !turns.is_empty() => turns,
            Some(Value::Array(_)) => {
                return Err(Fault::new(
                    &self.turns,
                    "is empty; expected the user's messages",
                ));
            }
            Some(other) => return Err(wrong(&self.turns, &other, "a list of the user's messages")),
        };
        if text(row, &self.selection)?.is_some() {
            let problem = format!(
                "cannot be combined with `{}`: use the `selection` of a message there",
                self.turns
            );
            return Err(Fault::new(&self.selection, problem));
        }
        let mut talk = UserDialogue::default();
        for (turn, number) in turns.iter().zip(1..) {
            let (message, check) = self.turn(turn, number, &mut talk.selected)?;
            talk.messages.push(message);
            talk.checks.push(check);
        }
        if let Some(check) = check {
            let last = talk.checks.last_mut().filter(|last| last.is_none());
            let twice = || {
                Fault::new(
                    &self.check,
                    format!(
                        "checks the last message of `{}`, which has its own check",
                        self.turns
                    ),
                )
            };
            *last.ok_or_else(twice)? = Some(check);
        }
        Ok(talk)
    }

    fn turn(
        &self,
        turn: &Value,
        number: usize,
        selected: &mut Option<String>,
    ) -> Result<(String, Option<(Check, Value)>), Fault> {
        let field = format!("{}[{number}]", self.turns);
        let (message, check) = match turn {
            Value::String(message) => (message.clone(), None),
            Value::Object(turn) => {
                known(&field, turn, &["query", "selection", "check"])?;
                let Some(Value::String(message)) = turn.get("query") else {
                    return Err(Fault::new(
                        &field,
                        "has no text `query` with the user's message",
                    ));
                };
                let check = match turn.get("check") {
                    None | Some(Value::Null) => None,
                    Some(Value::Object(check)) => Some(read_check(&field, check)?),
                    Some(other) => return Err(wrong(&field, other, "an object in `check`")),
                };
                let message = match turn.get("selection") {
                    None | Some(Value::Null) => message.clone(),
                    Some(Value::String(selection)) if !message.trim().is_empty() => {
                        *selected = Some(field.clone());
                        with_selection(message, selection)
                    }
                    Some(Value::String(_)) => String::new(),
                    Some(other) => return Err(wrong(&field, other, "a text in `selection`")),
                };
                (message, check)
            }
            other => {
                return Err(wrong(
                    &field,
                    other,
                    "a text, or an object with `query` and `check`",
                ));
            }
        };
        if message.trim().is_empty() {
            return Err(Fault::new(&field, "is blank; expected a message"));
        }
        Ok((message, check))
    }

    /// Whether a field has a value that is used for the row's environment, rather than plain
    /// metadata.
    fn counts(&self, name: &String, row: &Row, talk: &UserDialogue) -> bool {
        let is_there = match row.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(_) => true,
        };
        is_there && (talk.is_checked() || !talk.messages.is_empty() || self.named.contains(name))
    }

    /// Returns what a row's environment consists of, for error messages.
    pub(crate) fn place(&self, row: &Row) -> Result<&'static str, Fault> {
        let talk = self.talk(row)?;
        let counts = |name: &String| self.counts(name, row, &talk);
        Ok(if counts(&self.documents) {
            "documents"
        } else if [&self.url, &self.site, &self.command]
            .into_iter()
            .any(counts)
        {
            "a web site"
        } else {
            "only text"
        })
    }

    /// Parses the environment of a row. Returns `None` for a row without an environment.
    pub(crate) fn world(&self, row: &Row, folder: &Path) -> Result<Option<UserEnvironment>, Fault> {
        let talk = self.talk(row)?;
        let counts = |name: &String| self.counts(name, row, &talk);
        let places = [&self.url, &self.site, &self.command, &self.documents];
        let on_a_page = places[..3].iter().any(|name| counts(name));
        if let (Some(field), false) = (&talk.selected, on_a_page) {
            let problem = format!(
                "is a selection on a page, but the row has no page: `{}`, `{}` or `{}` defines one",
                self.url, self.site, self.command
            );
            return Err(Fault::new(field, problem));
        }
        if !places.into_iter().any(counts) {
            let page = talk
                .checks
                .iter()
                .flatten()
                .find(|(check, _)| *check != Check::Answer);
            return match page {
                None => Ok(None),
                Some(_) => Err(Fault::new(
                    &self.check,
                    format!(
                        "needs a page, but the row has none: `{}`, `{}`, `{}` or `{}` defines one",
                        self.url, self.site, self.command, self.documents
                    ),
                )),
            };
        }
        let beside = |one: &str, other: &str| {
            Fault::new(
                one,
                format!("cannot be combined with `{other}`: use only one of them"),
            )
        };
        if counts(&self.documents) {
            if let Some(other) = [&self.url, &self.site, &self.command]
                .into_iter()
                .find(|name| counts(name))
            {
                return Err(beside(&self.documents, other));
            }
            return self.apps(row, folder, talk.how()).map(Some);
        }
        if counts(&self.site) && counts(&self.command) {
            return Err(beside(&self.site, &self.command));
        }
        self.site(row, folder, &talk)
            .map(UserEnvironment::Site)
            .map(Some)
    }

    fn apps(
        &self,
        row: &Row,
        folder: &Path,
        checks: Vec<Option<Check>>,
    ) -> Result<UserEnvironment, Fault> {
        let field = &self.documents;
        let mut documents = Vec::new();
        let mut bytes = 0;
        if checks
            .iter()
            .flatten()
            .any(|check| matches!(check, Check::Request(_)))
        {
            return Err(Fault::new(
                &self.check,
                "has a `request`, but documents have no server; use `page` or `answer`",
            ));
        }
        for name in texts(row, field)? {
            let path = inside(field, folder, &name)?;
            let text = fs::read_to_string(&path).map_err(|error| {
                let why = match error.kind() {
                    io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
                    _ => error.to_string(),
                };
                Fault::new(
                    field,
                    format!("names {}, which cannot be read: {why}", path.display()),
                )
            })?;
            bytes += text.len() as u64;
            let uri = document_uri(&name);
            if documents.iter().any(|(open, _)| *open == uri) {
                return Err(Fault::new(field, format!("names {name} twice")));
            }
            documents.push((uri, text));
        }
        if bytes > MOST_BYTES {
            return Err(Fault::new(
                field,
                format!("has {bytes} bytes, expected at most {MOST_BYTES}"),
            ));
        }
        Ok(UserEnvironment::Apps(AppEnvironment {
            active: documents.first().map(|(uri, _)| uri.clone()),
            documents,
            checks,
            ..AppEnvironment::default()
        }))
    }

    fn site(&self, row: &Row, folder: &Path, talk: &UserDialogue) -> Result<UserSite, Fault> {
        let start = text(row, &self.url)?;
        let counts = |name: &String| self.counts(name, row, talk);
        let site = if counts(&self.site) {
            text(row, &self.site)?
        } else {
            None
        };
        let command = if counts(&self.command) {
            self.command(row, folder)?
        } else {
            None
        };
        if let Some(address) = start.as_deref().filter(|start| is_web_address(start))
            && site.is_some()
        {
            return Err(Fault::new(
                &self.url,
                format!(
                    "is {address:?}; expected a path on the site in `{}`",
                    self.site
                ),
            ));
        }
        let source = if let Some(name) = site {
            let path = inside(&self.site, folder, &name)?;
            if !path.is_dir() {
                return Err(Fault::new(
                    &self.site,
                    format!("is {}, which is not a folder", path.display()),
                ));
            }
            SiteSource::Folder(path)
        } else if let Some(command) = command {
            SiteSource::Command(command)
        } else {
            let address = start.clone().unwrap_or_default();
            if !is_web_address(&address) {
                return Err(Fault::new(
                    &self.url,
                    format!(
                        "is {address:?}; expected an address that begins with http:// or https://"
                    ),
                ));
            }
            SiteSource::Address(address)
        };
        let allow = texts(row, &self.allow)?;
        if let Some(wrong) = allow.iter().find(|origin| !is_origin(origin)) {
            return Err(Fault::new(
                &self.allow,
                format!(
                    "has {wrong:?}, which is not an origin such as https://example.com or http://127.0.0.1:8080"
                ),
            ));
        }
        Ok(UserSite {
            source,
            start: start.unwrap_or_else(|| "/".to_owned()),
            allow,
            cookies: self.pairs(row, &self.cookies)?,
            storage: self.pairs(row, &self.storage)?,
            viewport: self.viewport(row)?,
            checks: talk.how(),
        })
    }

    fn command(&self, row: &Row, folder: &Path) -> Result<Option<ServerCommand>, Fault> {
        let field = &self.command;
        let words = match row.get(field) {
            Some(Value::String(line))
                if !line.trim_start().starts_with('[') && !line.trim().is_empty() =>
            {
                vec!["/bin/sh".to_owned(), "-c".to_owned(), line.clone()]
            }
            _ => texts(row, field)?,
        };
        if words.is_empty() {
            return Ok(None);
        }
        let Some(address) = text(row, &self.address)? else {
            return Err(Fault::new(
                &self.address,
                format!(
                    "is missing: `{field}` needs the address of the server, such as http://127.0.0.1:{{port}}"
                ),
            ));
        };
        let host = address.strip_prefix("http://").unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        if !is_origin(&address.replace("{port}", "80"))
            || !["127.0.0.1", "localhost"].contains(&host)
        {
            return Err(Fault::new(
                &self.address,
                format!(
                    "is {address:?}; expected http://127.0.0.1:PORT, or http://127.0.0.1:{{port}} for a free port"
                ),
            ));
        }
        Ok(Some(ServerCommand {
            words,
            address,
            folder: folder.to_owned(),
        }))
    }

    /// Parses an object whose values are texts.
    fn pairs(&self, row: &Row, field: &str) -> Result<Vec<(String, String)>, Fault> {
        let right = "an object of names and texts";
        match self.structure(row, field)? {
            None => Ok(Vec::new()),
            Some(Value::Object(pairs)) => {
                let pair = |(name, value): (String, Value)| match value {
                    Value::String(text) => Ok((name, text)),
                    other => Err(wrong(&format!("{field}.{name}"), &other, "a text")),
                };
                pairs.into_iter().map(pair).collect()
            }
            Some(other) => Err(wrong(field, &other, right)),
        }
    }

    fn viewport(&self, row: &Row) -> Result<Option<(u32, u32)>, Fault> {
        let field = &self.viewport;
        let Some(value) = self.structure(row, field)? else {
            return Ok(None);
        };
        let side = |value: &Value| {
            u32::try_from(value.as_u64()?)
                .ok()
                .filter(|pixels| (200..=4_000).contains(pixels))
        };
        let sides = value.as_array().filter(|sides| sides.len() == 2);
        let sides = sides.and_then(|sides| Some((side(&sides[0])?, side(&sides[1])?)));
        let right = "width and height in pixels from 200 to 4000, such as [1280, 900]";
        sides
            .map(Some)
            .ok_or_else(|| Fault::new(field, format!("must be {right}")))
    }

    /// Returns the object or list in a field. It may be JSON in a string, as in CSV files. Any
    /// other value is ignored, because it may be plain metadata, unless the description names the
    /// field.
    fn structure(&self, row: &Row, field: &str) -> Result<Option<Value>, Fault> {
        match row.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) if text.trim_start().starts_with(['{', '[']) => {
                serde_json::from_str(text)
                    .map(Some)
                    .map_err(|error| Fault::new(field, format!("is not JSON: {error}")))
            }
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                let mut value = value.clone();
                if self.is_null_absent {
                    remove_null_fields(&mut value);
                }
                Ok(Some(value))
            }
            Some(value) if self.named.iter().any(|name| name == field) => Ok(Some(value.clone())),
            Some(_) => Ok(None),
        }
    }
}

/// Combines a message with the text that the user selected on the page.
pub fn with_selection(message: &str, selection: &str) -> String {
    let template = include_str!("selection.md").trim_end();
    let parts = template.split_once("{message}").unwrap_or_default();
    let (between, after) = parts.1.split_once("{selection}").unwrap_or_default();
    [
        parts.0,
        message.trim_end(),
        between,
        selection.trim(),
        after,
    ]
    .concat()
}

/// Returns the `file:` URI of the document with this relative path.
pub fn document_uri(name: &str) -> String {
    format!("file:///{}", name.trim_start_matches("./"))
}

fn text(row: &Row, field: &str) -> Result<Option<String>, Fault> {
    match row.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(other) => Err(wrong(field, other, "a text")),
    }
}

/// Removes the null fields of all objects in a value.
fn remove_null_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(remove_null_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null_fields),
        _ => {}
    }
}

/// Resolves a path in a field. The path must stay inside the folder of the rows.
fn inside(field: &str, folder: &Path, name: &str) -> Result<PathBuf, Fault> {
    let path = contained(folder, Path::new(name.trim()));
    path.map_err(|problem| Fault::new(field, format!("is {name:?}: {problem}")))
}
