//! Runs checks: JavaScript in a page or an app, and requests to the server of a site.

use std::time::Duration;

use benchmarks::Check;
use browser::{Error, Origin, Page, Reach, ReachError};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

/// A function that begins a check in the page.
const CHECK: &str = include_str!("check.js");
/// Where a check leaves what it came to.
const PLACE: &str = "outcomeOfTheCheck";
/// How long a check may take, what its app asks models for included.
const CHECK_TIME: Duration = Duration::from_mins(3);
/// How often it is looked for.
const CHECK_PAUSE: Duration = Duration::from_millis(50);
/// What a server may take for its answer.
const REQUEST_TIME: Duration = Duration::from_secs(15);
/// Bytes of an answer, at most.
const MOST_BYTES: usize = 10_000_000;

/// The checks of an attempt in a world of one's own, one for each message of the user, and what they have come to.
#[derive(Default)]
pub(super) struct Checks {
    checks: Vec<Option<Check>>,
    turns: Mutex<Vec<Value>>,
}

impl Checks {
    pub(super) fn new(checks: Vec<Option<Check>>) -> Self {
        Self {
            checks,
            turns: Mutex::default(),
        }
    }

    /// Checks what came of the user's newest message, which was answered so. `page` is that in front, and `site` where requests
    /// go.
    ///
    /// # Errors
    /// Of the browser, where it is its fault.
    pub(super) async fn run(
        &self,
        answer: Option<&str>,
        page: Option<&Page>,
        site: Option<(&Url, &Reach)>,
    ) -> Result<(), Error> {
        let check = self.checks.get(self.turns.lock().len()).cloned().flatten();
        let outcome = match (check, page, site) {
            (Some(Check::Page(script)), Some(page), _) => match in_page(page, &script).await {
                Err(error) if error.is_infrastructure() => return Err(error),
                Err(error) => stopped(&error.to_string()),
                Ok(outcome) => outcome,
            },
            (Some(Check::Page(_)), None, _) => stopped("no app was launched"),
            (Some(Check::Request(url)), _, Some((base, reach))) => {
                match asked(base, &url, reach).await {
                    Ok(found) => json!({ "check": found }),
                    Err(problem) => stopped(&problem),
                }
            }
            (Some(Check::Request(_)), _, None) => stopped("there is no server to ask"),
            (Some(Check::Answer) | None, ..) => json!({}),
        };
        let mut turn = json!({ "answer": answer });
        for part in ["check", "problem"] {
            if let Some(found) = outcome.get(part) {
                turn[part] = found.clone();
            }
        }
        self.turns.lock().push(turn);
        Ok(())
    }

    /// What they have come to; none where nothing is checked.
    pub(super) fn state(&self) -> Option<Value> {
        let is_checked = self.checks.iter().any(Option::is_some);
        is_checked.then(|| json!({ "turns": *self.turns.lock() }))
    }
}

/// What a check comes to in a page: `{"check", "problem"}`. `script` is the body of an async function, or an expression.
///
/// # Errors
/// Of the browser.
pub(super) async fn in_page(page: &Page, script: &str) -> Result<Value, Error> {
    let has_return = script
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')
        .any(|word| word == "return");
    // The check stands there as code, since an app's own policy may forbid `eval`.
    let body = if has_return {
        script.to_owned()
    } else {
        format!("return (\n{}\n)", script.trim().trim_end_matches(';'))
    };
    let check = format!("async ({{ text, texts, click, fill, until }}) => {{\n{body}\n}}");
    let begin = format!("({CHECK})({}, {check})", json!(PLACE));
    let outcome = format!("globalThis[{}] ?? null", json!(PLACE));
    let forget = format!("delete globalThis[{}]", json!(PLACE));
    let until = Instant::now() + CHECK_TIME;
    let mut begun = false;
    while Instant::now() < until {
        // A page may ask its user, who agrees to everything.
        if page.dialog().is_some() {
            page.answer_dialog(true, None).await?;
            continue;
        }
        let script = if begun { &outcome } else { &begin };
        match page.evaluate_apart(script).await {
            Ok(_) if !begun => begun = true,
            Ok(Value::Null) => return Ok(stopped("the document was left meanwhile")),
            Ok(value) if value["done"] == true => {
                // Another one may follow, after the user's next message.
                drop(page.evaluate_apart(&forget).await);
                return Ok(value);
            }
            Ok(_) => sleep(CHECK_PAUSE).await,
            Err(Error::DialogOpen { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let seconds = CHECK_TIME.as_secs();
    Ok(stopped(&format!("it was not done after {seconds} s")))
}

/// A check that came to nothing.
pub(super) fn stopped(problem: &str) -> Value {
    json!({ "check": null, "problem": problem })
}

/// The JSON that a server answers with.
async fn asked(base: &Url, url: &str, reach: &Reach) -> Result<Value, String> {
    let url = base.join(url).map_err(|error| format!("{url}: {error}"))?;
    let beyond = || format!("{url} is not within reach of the row; `allow` has what else is");
    let origin = Origin::of(&url).ok_or_else(beyond)?;
    if !reach.origins().any(|one| *one == origin) {
        return Err(beyond());
    }
    let addresses = reach.resolve(&origin).await.map_err(|error| match error {
        ReachError::Local { .. } => format!("{error}; --allow-local lets rows reach it"),
        error => error.to_string(),
    })?;
    // An error says that there is a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        // Never the name: it could resolve to something else meanwhile.
        .resolve_to_addrs(origin.place().0, &addresses)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(REQUEST_TIME)
        .build()
        .map_err(|error| error.to_string())?;
    let failed = |error: reqwest::Error| error.without_url().to_string();
    let mut response = client.get(url).send().await.map_err(failed)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&part);
        if body.len() > MOST_BYTES {
            return Err(format!(
                "the server's answer has more than {MOST_BYTES} bytes"
            ));
        }
    }
    serde_json::from_slice(&body)
        .map_err(|error| format!("the server answered {status} with what is no JSON: {error}"))
}
