//! Exports a run or an attempt as a self-contained HTML file.

use std::fs;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use records::run_dir::RunDirError;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::api;
use super::assets::{self, SCRIPT, STYLE};
use super::error::ViewError;
use super::library::Library;
use super::query::Query;

/// Rows per page of samples; equals the page size in `samples.js`.
const SAMPLE_PAGE: usize = 100;

/// Iterations per page; equals the page size in `iterations.js`.
const ITERATION_PAGE: usize = 20;

/// Content of an exported page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The run with all its samples and their trajectories.
    Run,
    /// One attempt at one sample.
    Attempt {
        /// Id of the sample.
        sample: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
    },
}

/// Writes a page that shows `subject` of the only run in a library. The page works offline and
/// without this program.
///
/// Texts are truncated to the part that the viewer shows first; the page states their full length.
///
/// # Errors
/// Returns [`ViewError`] if the library does not contain exactly one run, part of the run cannot be
/// read, or `file` cannot be written.
pub fn export(library: &Library, subject: &Subject, file: &Path) -> Result<(), ViewError> {
    let runs = library.runs()?;
    let [(run, _)] = runs.as_slice() else {
        return Err(ViewError::NotOneRun {
            path: library.root.clone(),
            runs: runs.len(),
        });
    };
    let mut answers = EmbeddedResponses {
        library,
        answers: Map::new(),
    };
    let start = match subject {
        Subject::Run => {
            answers.run(run)?;
            format!("#/run/{}", encoded(run))
        }
        Subject::Attempt { sample, attempt } => {
            answers.attempt(run, sample, *attempt)?;
            format!("#/run/{}/{}/{attempt}", encoded(run), encoded(sample))
        }
    };
    let embedded = json!({
        "start": start,
        "sample": matches!(subject, Subject::Attempt { .. }),
        "answers": answers.answers,
    });
    fs::write(file, page(&embedded)).map_err(|reason| RunDirError::cannot_write(file, reason))?;
    Ok(())
}

/// API responses embedded in a page, keyed by `NAME?QUERY` as its scripts request them.
struct EmbeddedResponses<'a> {
    library: &'a Library,
    answers: Map<String, Value>,
}

impl EmbeddedResponses<'_> {
    fn run(&mut self, run: &str) -> Result<(), ViewError> {
        self.ask("run", &[("run", run)])?;
        let mut failures = self.ask("failures", &[("run", run)])?;
        while failures["read"].as_u64() < failures["to_read"].as_u64() {
            failures = self.ask("failures", &[("run", run)])?;
        }
        let limit = SAMPLE_PAGE.to_string();
        let mut offset = 0;
        loop {
            let place = offset.to_string();
            // The page's scripts omit empty parameters, but they send `offset=0`.
            let parameters = [("run", run), ("offset", &place), ("limit", &limit)];
            let page = self.ask("samples", &parameters)?;
            for row in page["rows"].as_array().into_iter().flatten() {
                let attempt = row["attempt"]
                    .as_u64()
                    .and_then(|number| number.try_into().ok());
                if let (Some(sample), Some(attempt)) = (row["id"].as_str(), attempt) {
                    self.attempt(run, sample, attempt)?;
                }
            }
            offset += SAMPLE_PAGE;
            if page["matching"]
                .as_u64()
                .is_none_or(|total| total <= offset as u64)
            {
                return Ok(());
            }
        }
    }

    fn attempt(&mut self, run: &str, sample: &str, attempt: u32) -> Result<(), ViewError> {
        let number = attempt.to_string();
        let which = [("run", run), ("sample", sample), ("attempt", &number)];
        let mut shown = self.ask("attempt", &which)?;
        // Each request indexes only a part of the trajectory, so that browsers do not have to wait.
        while shown["progress"]["whole"] == false {
            shown = self.ask("attempt", &which)?;
        }
        for agent in shown["agents"].as_array().into_iter().flatten() {
            let Some(id) = agent["id"].as_str() else {
                continue;
            };
            let of_agent = [&which[..], &[("agent", id)]].concat();
            self.ask("agent", &of_agent)?;
            let limit = ITERATION_PAGE.to_string();
            let mut offset = 0;
            loop {
                let place = offset.to_string();
                let range = [("offset", &*place), ("limit", &*limit)];
                let asked = [&of_agent[..], &range].concat();
                let page = self.ask("iterations", &asked)?;
                self.store_with_images("iterations", &asked, &which, page.clone())?;
                offset += ITERATION_PAGE;
                if page["total"]
                    .as_u64()
                    .is_none_or(|total| total <= offset as u64)
                {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Stores a response after completing its images, because truncated images cannot be shown.
    fn store_with_images(
        &mut self,
        name: &str,
        parameters: &[(&str, &str)],
        which: &[(&str, &str)],
        mut answer: Value,
    ) -> Result<(), ViewError> {
        let mut found = Vec::new();
        images(&mut answer, &mut found);
        for data in found {
            let mut whole = String::new();
            let mut from = data["from"].as_u64();
            while let Some(at) = from {
                let (at, to) = (at.to_string(), data["to"].to_string());
                let part = [which, &[("from", &*at), ("to", &*to)]].concat();
                let part = get(self.library, "text", &address(&part))?;
                whole.push_str(part["text"].as_str().unwrap_or_default());
                from = part["next"].as_u64();
            }
            *data = whole.into();
        }
        let query = address(parameters);
        self.answers.insert(format!("{name}?{query}"), answer);
        Ok(())
    }

    fn ask(&mut self, name: &str, parameters: &[(&str, &str)]) -> Result<Value, ViewError> {
        let query = address(parameters);
        let value = get(self.library, name, &query)?;
        self.answers
            .insert(format!("{name}?{query}"), value.clone());
        Ok(value)
    }
}

fn get(library: &Library, name: &str, query: &str) -> Result<Value, ViewError> {
    let answer = api::answer(library, name, &Query::new(query));
    let text = answer.unwrap_or_else(|| Err(ViewError::not_found("page", name)))?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

fn address(parameters: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish()
}

/// Collects the truncated `data` fields of the images in a response.
fn images<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|one| images(one, found)),
        Value::Object(fields) => {
            let is_image = fields.contains_key("media_type");
            for (name, value) in fields {
                if is_image && name == "data" && value["head"].is_string() {
                    found.push(value);
                } else {
                    images(value, found);
                }
            }
        }
        _ => {}
    }
}

/// Percent-encodes a URL component at least as strictly as `encodeURIComponent`.
fn encoded(text: &str) -> String {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Returns the page with its data, scripts and styles embedded. Its content security policy permits
/// only scripts and styles with the page's nonce.
fn page(embedded: &Value) -> String {
    // A `<` in a text could end the element that contains the data.
    let data = embedded.to_string().replace('<', "\\u003c");
    let nonce = hex::encode(&Sha256::digest(&data)[..16]);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style nonce=\"{nonce}\">\n{}</style>\n",
        *STYLE
    );
    let tail = format!(
        "<script id=\"embedded\" type=\"application/json\">{data}</script>\n<script type=\"module\" nonce=\"{nonce}\">\n{}</script>\n",
        *SCRIPT
    );
    assets::page(&head, &tail)
}
