//! Runs the apps of an environment in a browser, each in its own tab. A shim of `fetch` gives them
//! access to the environment's endpoints.

mod server;

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::AppEnvironment;
use browser::{Error, Page, Pool, Reach};
use harness::model::Image;
use harness::model::web::{AppCall, AppHost, PageError, PageProblem};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::blocked_requests::{AttemptProfile, BlockedRequests};
use super::check::{Checks, in_page, stopped};
use server::AppServer;

/// Apps and documents of an attempt.
pub(super) struct BrowserApps {
    world: AppEnvironment,
    server: AppServer,
    profile: AttemptProfile,
    running: Mutex<Vec<Running>>,
    checks: Checks,
    kept: PersistentState,
}

/// State that all attempts share.
#[derive(Clone, Default)]
pub(super) struct PersistentState {
    pub(super) refused: Arc<BlockedRequests>,
    /// HTML of the newest app.
    pub(super) launched: Arc<Mutex<Option<String>>>,
    /// Whether a person sees the apps and ends the attempt by closing them.
    pub(super) is_visible: bool,
}

struct Running {
    title: String,
    page: Page,
}

impl BrowserApps {
    /// Opens a fresh profile that can reach only its apps, and launches the initial apps.
    ///
    /// # Errors
    /// [`PageProblem::Broken`] if the browser or the app server does not start.
    pub async fn open(
        pool: &Pool,
        world: AppEnvironment,
        calls: UnboundedSender<AppCall>,
        kept: PersistentState,
    ) -> Result<Self, PageError> {
        let server = AppServer::open(calls).await.map_err(|error| {
            broken(&format_args!(
                "cannot listen on loopback for the server of apps: {error}"
            ))
        })?;
        let origin = server.origin();
        let profile = pool
            .profile(&Reach::anywhere([origin]))
            .await
            .map_err(|error| broken(&error))?;
        let apps = Self {
            checks: Checks::new(world.checks.clone()),
            world,
            server,
            profile: AttemptProfile::new(profile, Arc::clone(&kept.refused)),
            running: Mutex::default(),
            kept,
        };
        for html in &apps.world.running {
            apps.launch(html).await?;
        }
        Ok(apps)
    }

    fn newest(&self) -> Option<Page> {
        let running = self.running.lock();
        // Initial apps of the environment do not count as launched by the agent.
        let launched = running.iter().skip(self.world.running.len());
        launched.last().map(|app| app.page.clone())
    }

    /// Runs the next check of a user-supplied environment.
    async fn run_check(&self, answer: Option<&str>) -> Result<(), PageError> {
        let ran = self.checks.run(answer, self.newest().as_ref(), None).await;
        ran.map_err(|error| broken(&error))
    }

    /// Waits until a person has closed all windows.
    async fn closed(&self) -> Result<(), PageError> {
        let pages: Vec<Page> = self
            .running
            .lock()
            .iter()
            .map(|app| app.page.clone())
            .collect();
        for page in pages {
            match page.closed().await {
                // Closing the last window ends the browser.
                Ok(()) | Err(Error::BrowserEnded(_)) => {}
                Err(error) => return Err(broken(&error)),
            }
        }
        Ok(())
    }
}

#[async_trait]
impl AppHost for BrowserApps {
    async fn launch(&self, html: &str) -> Result<(), PageError> {
        let page = self.profile.new_page().await;
        let page = page.map_err(|error| broken(&error))?;
        let address = self.server.add(html);
        *self.kept.launched.lock() = Some(html.to_owned());
        match page.goto(&address).await {
            Ok(()) => {}
            // Errors while an app loads are the fault of its author.
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

    async fn screenshot(&self) -> Result<Image, PageError> {
        let page = self
            .newest()
            .ok_or_else(|| PageError::new(PageProblem::Inapplicable, "no app was launched"))?;
        page.screenshot(false).await.map_err(|error| broken(&error))
    }

    async fn answered(&self, answer: &str) -> Result<(), PageError> {
        if self.world.check.is_some() {
            return Ok(());
        }
        self.run_check(Some(answer)).await
    }

    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError> {
        if self.kept.is_visible {
            self.closed().await?;
            return Ok(None);
        }
        let Some(check) = &self.world.check else {
            self.run_check(answer).await?;
            return Ok(self.checks.state());
        };
        let outcome = match self.newest() {
            None => json!({ "check": null }),
            Some(page) => match in_page(&page, check).await {
                Ok(outcome) => outcome,
                Err(error) if error.is_infrastructure() => return Err(broken(&error)),
                Err(error) => stopped(&error.to_string()),
            },
        };
        let mut state = json!({ "check": outcome["check"], "apps": self.running().await? });
        if let Some(problem) = outcome.get("problem") {
            state["problem"] = problem.clone();
        }
        Ok(Some(state))
    }
}

fn broken(error: &dyn std::fmt::Display) -> PageError {
    PageError::new(PageProblem::Broken, error.to_string())
}

/// Returns the title in the HTML source, ignoring changes by scripts.
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
            plain.chars().take(MAX_TITLE_CHARS).collect()
        }
    }
}

const MAX_TITLE_CHARS: usize = 120;

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn reads_titles_from_the_source() {
        let rows = [
            ("<!DOCTYPE html><title>Clock</title>", "Clock"),
            ("<TITLE id=x>\n A &amp; &lt;B&gt; </Title>", "A & <B>"),
            ("<title></title>", "an app without a title"),
            ("<title>open", "an app without a title"),
            (
                "<p>İ<title>after a letter whose lowercase form is longer</title>",
                "after a letter whose lowercase form is longer",
            ),
            ("", "an app without a title"),
        ];
        for (html, expected) in rows {
            assert_eq!(title(html), expected, "{html}");
        }
    }
}
