//! A tab of an attempt as the engine sees it: what is in front, what an action did, and errors in the engine's words.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::{Error, Place, Profile};
use harness::model::Image;
use harness::model::web::{
    Acted, Action, Dump, DumpSettings, IdStyle, Indexed, Page, PageError, PageProblem,
};
use parking_lot::Mutex;
use serde_json::Value;
use url::Url;

use super::own_site::OpenSite;
use super::refused::Refused;
use super::site::Site;

/// The profile and the site of an attempt, which all its tabs share.
pub(super) struct Window {
    /// Taken when the window is dropped.
    profile: Option<Profile>,
    site: Served,
    refused: Arc<Refused>,
}

/// The site of an attempt.
pub(super) enum Served {
    /// One that a benchmark generates.
    Generated(Site),
    /// One of the user's own.
    Own(Box<OpenSite>),
}

impl Served {
    /// Its own origin.
    fn origin(&self) -> String {
        match self {
            Self::Generated(site) => site.origin().to_string(),
            Self::Own(site) => site.within_reach[0].to_string(),
        }
    }

    /// Whether agents read its addresses without their origin.
    const fn is_short(&self) -> bool {
        match self {
            Self::Generated(_) => true,
            Self::Own(site) => site.is_short,
        }
    }
}

/// A tab that an agent has, and those that its pages opened: the newest is in front.
pub(super) struct Tab {
    window: Arc<Window>,
    /// Oldest first; never empty.
    open: Mutex<Vec<browser::Page>>,
}

impl Window {
    pub(super) fn new(profile: Profile, site: Served, refused: Arc<Refused>) -> Arc<Self> {
        Arc::new(Self {
            profile: Some(profile),
            site,
            refused,
        })
    }

    /// What pages asked for and did not get since this was called last, which counts now.
    fn take_refused(&self) -> Vec<String> {
        let taken = self.profile.as_ref().map(Profile::take_refused);
        let taken = taken.unwrap_or_default();
        self.refused.add(&taken);
        taken
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.take_refused();
        let Some(profile) = self.profile.take() else {
            return;
        };
        // Outside of a runtime the profile takes its browser with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(profile.close());
        }
    }
}

impl Tab {
    pub(super) fn new(window: Arc<Window>, page: browser::Page) -> Self {
        Self {
            window,
            open: Mutex::new(vec![page]),
        }
    }

    /// Opens the address on which the task begins, after a script that runs in its document first.
    ///
    /// # Errors
    /// As of [`Page::act`], with what was refused meanwhile.
    pub(super) async fn begin(&self, address: &str, script: Option<&str>) -> Result<(), PageError> {
        let front = self.front();
        let opened = match script {
            Some(script) => front.goto_after(script, address).await,
            None => front.goto(address).await,
        };
        opened.map_err(|error| {
            let error = page_error(error);
            match self.window.take_refused().last() {
                Some(last) => {
                    let message =
                        format!("{}; it led to {last}, which is out of reach", error.message);
                    PageError::new(error.problem, message)
                }
                None => error,
            }
        })
    }

    /// Runs the check that is next; a site that a benchmark generates has none.
    async fn check(&self, answer: Option<&str>) -> Result<(), PageError> {
        let Served::Own(site) = &self.window.site else {
            return Ok(());
        };
        let asked = Some((&site.start, &site.reach));
        let ran = site.checks.run(answer, Some(&self.front()), asked).await;
        ran.map_err(page_error)
    }

    /// The tab in front: the newest of this one and those that it has opened, directly or through others.
    fn front(&self) -> browser::Page {
        let mut open = self.open.lock();
        let mut at = 0;
        while let Some(page) = open.get(at) {
            for opened in page.opened() {
                if open.iter().all(|known| known.id() != opened.id()) {
                    open.push(opened);
                }
            }
            at += 1;
        }
        // The first one stays, so that its error can be reported.
        let newest = open.iter().rposition(browser::Page::is_open).unwrap_or(0);
        open[newest].clone()
    }

    /// An address as agents read it.
    fn short(&self, url: &str) -> String {
        let site = &self.window.site;
        let origin = site.is_short().then(|| site.origin());
        let short = origin.and_then(|origin| url.strip_prefix(&origin).map(str::to_owned));
        short.unwrap_or_else(|| url.to_owned())
    }

    async fn navigate(&self, page: &browser::Page, url: &str) -> browser::Result<()> {
        let origin = self.window.site.origin();
        let here = Some(page.place().url).filter(|here| here.starts_with("http"));
        let base = Url::parse(&here.unwrap_or(origin));
        let whole = base.and_then(|base| base.join(url.trim()));
        let whole = whole.map_err(|error| Error::Navigation {
            url: url.to_owned(),
            reason: error.to_string(),
        })?;
        page.goto(whole.as_str()).await
    }

    async fn perform(&self, page: &browser::Page, action: &Action) -> browser::Result<()> {
        match action {
            Action::Navigate { url } => self.navigate(page, url).await,
            Action::Click { selector } => page.click(selector).await,
            Action::ScrollTo { selector } => page.scroll_to(selector).await,
            Action::Border { selector } => page.border(selector.as_deref()).await,
            Action::FillInput { selector, value } => page.fill(selector, value).await,
            Action::Select { selector, value } => page.select(selector, value).await,
            Action::Press { selector, key } => page.press(selector.as_deref(), key).await,
            Action::AnswerDialog { accept, text } => {
                page.answer_dialog(*accept, text.as_deref()).await
            }
        }
    }

    fn place(&self) -> (String, Place) {
        let front = self.front();
        (front.id().to_owned(), front.place())
    }

    /// What has come of something that was done, by what was in front before it.
    fn acted(&self, before: &(String, Place)) -> Acted {
        if let Some(dialog) = self.front().dialog() {
            return Acted::DialogOpened {
                kind: dialog.kind.to_string(),
                message: dialog.message,
            };
        }
        let after = self.place();
        if after == *before {
            return Acted::SamePage;
        }
        Acted::PageChanged {
            url: self.short(&after.1.url),
        }
    }
}

#[async_trait]
impl Page for Tab {
    async fn dump(&self, settings: &DumpSettings) -> Result<Dump, PageError> {
        let settings = browser::DumpSettings {
            max_chars: settings.max_chars,
            ids: match settings.ids {
                IdStyle::Numbers => browser::IdStyle::Numbers,
                IdStyle::Hashes => browser::IdStyle::Hashes,
            },
            filter: settings.filter.clone(),
            also: browser::DumpAlso {
                text: settings.also.text,
                nested: settings.also.nested,
                editable: settings.also.editable,
                frames: settings.also.frames,
            },
        };
        let dump = self.front().dump(&settings).await.map_err(page_error)?;
        let tree = dump.tree().to_owned();
        let elements = dump.elements.into_iter();
        Ok(Dump {
            url: self.short(&dump.url),
            title: dump.title,
            viewport: dump.viewport,
            tree,
            elements: elements
                .map(|browser::Indexed { id, element }| Indexed { id, element })
                .collect(),
            truncated: dump.truncated,
            millis: dump.millis,
        })
    }

    async fn act(&self, action: &Action) -> Result<Acted, PageError> {
        let front = self.front();
        let before = self.place();
        self.perform(&front, action).await.map_err(|error| {
            if let Error::Blocked { url, .. } = &error {
                self.window.refused.add(std::slice::from_ref(url));
            }
            page_error(error)
        })?;
        Ok(self.acted(&before))
    }

    async fn text(&self) -> Result<String, PageError> {
        self.front().text().await.map_err(page_error)
    }

    async fn run_script(&self, script: &str) -> Result<(Acted, Option<Value>), PageError> {
        let front = self.front();
        let before = self.place();
        let value = front.run_script(script).await.map_err(page_error)?;
        Ok((self.acted(&before), value))
    }

    async fn screenshot(&self) -> Result<Image, PageError> {
        let png = self.front().screenshot(false).await.map_err(page_error)?;
        Ok(Image {
            media_type: "image/png".to_owned(),
            data: STANDARD.encode(png),
        })
    }

    async fn new_tab(&self) -> Result<Arc<dyn Page>, PageError> {
        let Some(profile) = &self.window.profile else {
            return Err(page_error(Error::TabClosed));
        };
        let page = profile.new_page().await.map_err(page_error)?;
        let address = self.front().place().url;
        page.goto(&address).await.map_err(page_error)?;
        Ok(Arc::new(Self::new(Arc::clone(&self.window), page)))
    }

    fn take_refused(&self) -> Vec<String> {
        self.window.take_refused()
    }

    async fn answered(&self, answer: &str) -> Result<(), PageError> {
        self.check(Some(answer)).await
    }

    async fn state(&self, answer: Option<&str>) -> Result<Option<Value>, PageError> {
        self.check(answer).await?;
        Ok(match &self.window.site {
            Served::Generated(site) => Some(site.state()),
            Served::Own(site) => site.checks.state(),
        })
    }
}

/// Converts an error of the browser into one of the engine.
pub(super) fn page_error(error: Error) -> PageError {
    let problem = match &error {
        Error::StaleId { .. } => PageProblem::StaleId,
        Error::UnknownId { .. } => PageProblem::UnknownId,
        Error::NoMatch { .. } => PageProblem::NoMatch,
        Error::MalformedSelector { .. } | Error::UnknownKey(_) => PageProblem::Malformed,
        Error::Inapplicable { .. } | Error::TabClosed => PageProblem::Inapplicable,
        Error::Blocked { .. } | Error::Navigation { .. } => PageProblem::Unreachable,
        Error::DialogOpen { .. } | Error::NoDialog => PageProblem::Dialog,
        Error::Script(_) | Error::Filter(_) | Error::PageLeft => PageProblem::Script,
        Error::TimedOut { .. } => PageProblem::TimedOut,
        Error::NotInstalled { .. }
        | Error::NotStarted { .. }
        | Error::NoSandbox { .. }
        | Error::BrowserEnded(_)
        | Error::OutOfMemory { .. }
        | Error::PageCrashed
        | Error::Protocol { .. } => PageProblem::Broken,
    };
    let message = match error {
        // The port differs from attempt to attempt, and no model is to learn it.
        Error::Blocked { url, .. } => {
            format!("{url} is out of reach; only the pages of this site are within reach")
        }
        error => error.to_string(),
    };
    PageError::new(problem, message)
}
