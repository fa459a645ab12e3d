//! Runs apps in a browser: each in a tab of its own, with the environment's addresses behind a shim of `fetch`.

mod server;

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use benchmarks::AppWorld;
use browser::{Error, Page, Pool, Profile};
use harness::model::Image;
use harness::model::web::{AppCall, AppHost, PageError, PageProblem};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, sleep};

use server::AppServer;

/// A function that begins a check in the page.
const CHECK: &str = include_str!("apps/check.js");
/// Where a check leaves what it came to.
const PLACE: &str = "outcomeOfTheCheck";
/// How long a check may take, what its app asks models for included.
const CHECK_TIME: Duration = Duration::from_mins(3);
/// How often it is looked for.
const CHECK_PAUSE: Duration = Duration::from_millis(50);

/// The apps and documents of an attempt.
pub(super) struct BrowserApps {
    world: AppWorld,
    server: AppServer,
    /// Taken when the host is dropped.
    profile: Option<Profile>,
    running: Mutex<Vec<Running>>,
}

struct Running {
    title: String,
    page: Page,
}

impl BrowserApps {
    /// Opens a fresh profile that reaches its apps alone, with the apps that run from the beginning.
    ///
    /// # Errors
    /// [`PageProblem::Broken`] where the browser or the server of apps does not start.
    pub async fn open(
        pool: &Pool,
        world: AppWorld,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Self, PageError> {
        let server = AppServer::open(calls).await.map_err(|error| {
            broken(&format_args!(
                "no port on loopback for the server of apps: {error}"
            ))
        })?;
        let origin = server.origin();
        let profile = pool
            .profile(&[origin])
            .await
            .map_err(|error| broken(&error))?;
        let apps = Self {
            world,
            server,
            profile: Some(profile),
            running: Mutex::default(),
        };
        for html in &apps.world.running {
            apps.launch(html).await?;
        }
        Ok(apps)
    }

    fn newest(&self) -> Option<Page> {
        let running = self.running.lock();
        // Those of the world were there before the agent.
        let launched = running.iter().skip(self.world.running.len());
        launched.last().map(|app| app.page.clone())
    }

    /// What the task's check comes to in an app.
    async fn check(&self, page: &Page) -> Result<Value, Error> {
        // The check stands there as code, since an app's own policy may forbid `eval`.
        let body = &self.world.check;
        let check = format!("async ({{ text, texts, click, fill, until }}) => {{\n{body}\n}}");
        let begin = format!("({CHECK})({}, {check})", json!(PLACE));
        let outcome = format!("globalThis[{}] ?? null", json!(PLACE));
        let until = Instant::now() + CHECK_TIME;
        let mut begun = false;
        while Instant::now() < until {
            // An app may ask its user, who agrees to everything.
            if page.dialog().is_some() {
                page.answer_dialog(true, None).await?;
                continue;
            }
            let script = if begun { &outcome } else { &begin };
            match page.evaluate_apart(script).await {
                Ok(_) if !begun => begun = true,
                Ok(Value::Null) => return Ok(stopped("the app left its document meanwhile")),
                Ok(value) if value["done"] == true => return Ok(value),
                Ok(_) => sleep(CHECK_PAUSE).await,
                Err(Error::DialogOpen { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let seconds = CHECK_TIME.as_secs();
        Ok(stopped(&format!("it was not done after {seconds} s")))
    }
}

impl Drop for BrowserApps {
    fn drop(&mut self) {
        let Some(profile) = self.profile.take() else {
            return;
        };
        // Outside of a runtime the profile takes its browser with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(profile.close());
        }
    }
}

#[async_trait]
impl AppHost for BrowserApps {
    async fn launch(&self, html: &str) -> Result<(), PageError> {
        let profile = self.profile.as_ref();
        let profile = profile.ok_or_else(|| broken(&"the browser is closed"))?;
        let page = profile.new_page().await.map_err(|error| broken(&error))?;
        let address = self.server.add(html);
        match page.goto(&address).await {
            Ok(()) => {}
            // What an app does while it loads is its author's.
            Err(error) if !error.is_infrastructure() => {}
            Err(error) => return Err(broken(&error)),
        }
        let title = title(html);
        let mut running = self.running.lock();
        running.push(Running { title, page });
        Ok(())
    }

    async fn running(&self) -> Result<Vec<String>, PageError> {
        let running = self.running.lock();
        Ok(running.iter().map(|app| app.title.clone()).collect())
    }

    fn documents(&self) -> Vec<String> {
        let documents = self.world.documents.iter();
        documents.map(|(uri, _)| uri.clone()).collect()
    }

    fn active_document(&self) -> Option<String> {
        self.world.active.clone()
    }

    fn document(&self, uri: &str) -> Option<String> {
        let mut documents = self.world.documents.iter();
        documents
            .find(|(open, _)| open == uri)
            .map(|(_, text)| text.clone())
    }

    fn follow_ups(&self) -> Vec<String> {
        self.world.follow_ups.clone()
    }

    async fn screenshot(&self) -> Result<Image, PageError> {
        let page = self
            .newest()
            .ok_or_else(|| PageError::new(PageProblem::Inapplicable, "no app was launched"))?;
        let png = page
            .screenshot(false)
            .await
            .map_err(|error| broken(&error))?;
        Ok(Image {
            media_type: "image/png".to_owned(),
            data: STANDARD.encode(png),
        })
    }

    async fn state(&self) -> Result<Value, PageError> {
        let outcome = match self.newest() {
            None => json!({ "check": null }),
            Some(page) => match self.check(&page).await {
                Ok(outcome) => outcome,
                Err(error) if error.is_infrastructure() => return Err(broken(&error)),
                Err(error) => stopped(&error.to_string()),
            },
        };
        let mut state = json!({ "check": outcome["check"], "apps": self.running().await? });
        if let Some(problem) = outcome.get("problem") {
            state["problem"] = problem.clone();
        }
        Ok(state)
    }
}

/// A check that came to nothing.
fn stopped(problem: &str) -> Value {
    json!({ "check": null, "problem": problem })
}

fn broken(error: &dyn std::fmt::Display) -> PageError {
    PageError::new(PageProblem::Broken, error.to_string())
}

/// The title as it stands in a document; what scripts make of it is not looked at.
fn title(html: &str) -> String {
    const UNNAMED: &str = "an app without a title";
    let lower = html.to_ascii_lowercase();
    let found = lower.find("<title").and_then(|tag| {
        let start = tag + lower[tag..].find('>')? + 1;
        let end = start + lower[start..].find("</title")?;
        Some(html[start..end].trim())
    });
    match found {
        None | Some("") => UNNAMED.to_owned(),
        Some(title) => {
            let plain = title
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&");
            plain.chars().take(LONGEST_TITLE).collect()
        }
    }
}

/// Characters of a title that are reported.
const LONGEST_TITLE: usize = 120;

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn titles_are_those_of_the_source() {
        let rows = [
            ("<!DOCTYPE html><title>Clock</title>", "Clock"),
            ("<TITLE id=x>\n A &amp; &lt;B&gt; </Title>", "A & <B>"),
            ("<title></title>", "an app without a title"),
            ("<title>open", "an app without a title"),
            (
                "<p>İ<title>after a letter that grows in lower case</title>",
                "after a letter that grows in lower case",
            ),
            ("", "an app without a title"),
        ];
        for (html, expected) in rows {
            assert_eq!(title(html), expected, "{html}");
        }
    }
}
