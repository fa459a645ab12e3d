//! Runs the checks of user-supplied environments: JavaScript in a page or an app, and requests to a
//! site's server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use benchmarks::Check;
use browser::{Error, Origin, Page, Reach, ReachError};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

/// JavaScript function that starts a check in the page.
const CHECK: &str = include_str!("check.js");
/// Number of checks that have begun. Each check stores its result in a variable of its own, because
/// an earlier check on the same page may still be running.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// Maximum duration of a check, including model calls of the app.
const CHECK_TIMEOUT: Duration = Duration::from_mins(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout of a check's request to the site's server.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_RESPONSE_BYTES: usize = 10_000_000;

/// Checks of an attempt in a user-supplied environment, one per user message, and the results so
/// far.
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

    /// Runs the check of the newest user message, whose answer is `answer`. `page` is the page in
    /// front, and `site` is the base URL and the reach of requests.
    ///
    /// # Errors
    /// A browser failure.
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
                match request_json(base, &url, reach).await {
                    Ok(found) => json!({ "check": found }),
                    Err(problem) => stopped(&problem),
                }
            }
            (Some(Check::Request(_)), _, None) => {
                stopped("the site does not have a server to request from")
            }
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

    /// Returns the results, or `None` if the environment does not have checks.
    pub(super) fn state(&self) -> Option<Value> {
        let is_checked = self.checks.iter().any(Option::is_some);
        is_checked.then(|| json!({ "turns": *self.turns.lock() }))
    }
}

/// Runs a check in a page and returns `{"check", "problem"}`. `script` is the body of an async
/// function, or an expression.
///
/// # Errors
/// A browser failure.
pub(super) async fn in_page(page: &Page, script: &str) -> Result<Value, Error> {
    let has_return = script
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')
        .any(|word| word == "return");
    let number = BEGUN.fetch_add(1, Ordering::Relaxed);
    let variable = json!(format!("outcomeOfCheck{number}"));
    // Insert the script as code, because the content security policy of an app may forbid `eval`.
    let begin = |body: &str| {
        let check = format!("async ({{ text, texts, click, fill, until }}) => {{\n{body}\n}}");
        format!("({CHECK})({variable}, {check})")
    };
    let expression = format!("return (\n{}\n)", script.trim().trim_end_matches(';'));
    // Forms to try, the first one last. If the script is an expression, its `return` is in a
    // function or a text; otherwise, the first form does not parse.
    let mut forms = Vec::new();
    if has_return {
        forms.push(begin(script));
    }
    forms.push(begin(&expression));
    let outcome = format!("globalThis[{variable}] ?? null");
    let until = Instant::now() + CHECK_TIMEOUT;
    let mut begun = false;
    while Instant::now() < until {
        // Accept every dialog that the page opens.
        if page.dialog().is_some() {
            page.answer_dialog(true, None).await?;
            continue;
        }
        let script = match forms.last() {
            Some(form) if !begun => form,
            _ => &outcome,
        };
        let evaluated = page.evaluate_apart(script).await;
        match evaluated {
            Ok(_) if !begun => begun = true,
            Ok(Value::Null) => return Ok(stopped("the page navigated away during the check")),
            Ok(value) if value["done"] == true => return Ok(value),
            Ok(_) => sleep(POLL_INTERVAL).await,
            Err(Error::DialogOpen { .. }) => {}
            Err(Error::Script(_)) if !begun && forms.len() > 1 => drop(forms.pop()),
            Err(error) => return Err(error),
        }
    }
    let seconds = CHECK_TIMEOUT.as_secs();
    Ok(stopped(&format!("it did not finish within {seconds} s")))
}

/// Returns the result of a check that did not complete.
pub(super) fn stopped(problem: &str) -> Value {
    json!({ "check": null, "problem": problem })
}

/// Sends a check's request and returns the JSON response of the server.
async fn request_json(base: &Url, url: &str, reach: &Reach) -> Result<Value, String> {
    let url = base.join(url).map_err(|error| format!("{url}: {error}"))?;
    let beyond = || format!("{url} is not allowed for this row; add its origin to `allow`");
    let origin = Origin::of(&url).ok_or_else(beyond)?;
    if !reach.origins().any(|one| *one == origin) {
        return Err(beyond());
    }
    let addresses = reach.resolve(&origin).await.map_err(|error| match error {
        ReachError::Local { .. } => format!("{error}; allow it with --allow-local"),
        error => error.to_string(),
    })?;
    // An error only means that a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        // Use the checked addresses, because the name could resolve differently now.
        .resolve_to_addrs(origin.place().0, &addresses)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(REQUEST_TIMEOUT)
        .build()
        .map_err(|error| error.to_string())?;
    let failed = |error: reqwest::Error| error.without_url().to_string();
    let mut response = client.get(url).send().await.map_err(failed)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&part);
        if body.len() > MAX_RESPONSE_BYTES {
            return Err(format!(
                "the server's response exceeds {MAX_RESPONSE_BYTES} bytes"
            ));
        }
    }
    serde_json::from_slice(&body)
        .map_err(|error| format!("the server responded with {status} and invalid JSON: {error}"))
}
