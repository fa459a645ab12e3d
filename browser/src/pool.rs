//! A pool of warm browsers, and their profiles. Each attempt gets a separate profile with its own
//! tabs, cookies and storage, and each browser serves one profile after another.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::chromium::{self, Chromium};
use crate::devtools::{
    Cookie, CreateBrowserContext, CreateTarget, DisposeBrowserContext, SetCookies,
};
use crate::error::{Error, Result};
use crate::page::{Page, within};
use crate::reach::Reach;
use crate::settings::Settings;
use crate::tab::Tab;

/// A pool of browsers. Dropping the pool and its profiles ends all their processes and deletes all
/// their files.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: Settings,
    program: PathBuf,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Chromium>>,
}

impl Pool {
    /// Creates a pool and starts its first browser, so that a missing or broken program is reported
    /// before any work begins.
    ///
    /// # Errors
    /// [`Error::NotInstalled`], [`Error::NotStarted`] or [`Error::NoSandbox`].
    pub async fn open(settings: Settings) -> Result<Self> {
        let program = chromium::find_program(&settings)?;
        let first = Chromium::start(&program, &settings).await?;
        let permits = Arc::new(Semaphore::new(settings.browsers.max(1)));
        Ok(Self {
            shared: Arc::new(Shared {
                settings,
                program,
                permits,
                idle: Mutex::new(vec![first]),
            }),
        })
    }

    /// Returns a fresh profile with an empty tab that can reach only `reach`. Waits while all
    /// browsers are in use.
    ///
    /// # Errors
    /// As for [`Pool::open`] if a browser has to be started, and as for [`Profile::new_page`].
    pub async fn profile(&self, reach: &Reach) -> Result<Profile> {
        let permits = Arc::clone(&self.shared.permits);
        let permit = permits
            .acquire_owned()
            .await
            .map_err(|_| Error::BrowserEnded("the pool is closed".to_owned()))?;
        // Skip browsers that died while idle.
        while let Some(idle) = self.shared.take_idle() {
            if let Ok(profile) = Profile::open(Arc::clone(&self.shared), idle, reach).await {
                return Ok(profile.with_permit(permit));
            }
        }
        let chromium = Chromium::start(&self.shared.program, &self.shared.settings).await?;
        Ok(Profile::open(Arc::clone(&self.shared), chromium, reach)
            .await?
            .with_permit(permit))
    }
}

impl Shared {
    fn take_idle(&self) -> Option<Chromium> {
        self.idle.lock().pop()
    }

    /// Returns a browser to the pool, unless it has served its maximum number of profiles.
    fn return_browser(&self, chromium: Chromium) {
        if chromium.served < self.settings.profiles_per_browser {
            self.idle.lock().push(chromium);
        }
    }
}

/// A fresh profile in a browser that serves no other profile at the same time. [`Profile::close`]
/// returns the browser to the pool; a profile that is dropped ends its browser.
#[derive(Debug)]
pub struct Profile {
    chromium: Chromium,
    context: String,
    viewport: (u32, u32),
    shared: Arc<Shared>,
    // Whether a command timed out. The browser may still be executing it and is not reused.
    has_timed_out: Arc<AtomicBool>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Profile {
    async fn open(shared: Arc<Shared>, mut chromium: Chromium, reach: &Reach) -> Result<Self> {
        chromium.served += 1;
        chromium.gate.rules.allow(reach.clone());
        let limit = shared.settings.command_timeout;
        let made = within(limit, "opening a profile", async {
            chromium.wire.command(None, CreateBrowserContext {}).await
        });
        let context = made.await?.browser_context_id;
        let profile = Self {
            chromium,
            context,
            viewport: shared.settings.viewport,
            shared,
            has_timed_out: Arc::default(),
            permit: None,
        };
        profile.new_page().await?;
        Ok(profile)
    }

    fn with_permit(mut self, permit: OwnedSemaphorePermit) -> Self {
        self.permit = Some(permit);
        self
    }

    /// Opens a tab on `about:blank`.
    ///
    /// # Errors
    /// Errors of the browser: [`Error::BrowserEnded`], [`Error::OutOfMemory`], [`Error::TimedOut`].
    pub async fn new_page(&self) -> Result<Page> {
        let (width, height) = self.viewport;
        let create = CreateTarget {
            url: "about:blank",
            browser_context_id: self.context.clone(),
            // Separate windows keep all tabs in front, so that they can be used concurrently.
            new_window: true,
            width,
            height,
        };
        let wire = &self.chromium.wire;
        let tab = within(
            self.shared.settings.command_timeout,
            "opening a tab",
            async {
                let target = wire.command(None, create).await?.target_id;
                wire.tab(&target).await
            },
        );
        let page = self.page_of(tab.await?);
        page.set_viewport(self.viewport).await?;
        Ok(page)
    }

    /// Returns all open tabs, including those that pages have opened, oldest first.
    pub fn pages(&self) -> Vec<Page> {
        self.chromium
            .wire
            .tabs(&self.context)
            .into_iter()
            .map(|tab| self.page_of(tab))
            .collect()
    }

    /// Returns the newest tab, which a user would see in front.
    ///
    /// # Errors
    /// [`Error::TabClosed`] if none is open, or the reason why the browser ended.
    pub fn page(&self) -> Result<Page> {
        self.pages()
            .pop()
            .ok_or_else(|| self.chromium.wire.ended().unwrap_or(Error::TabClosed))
    }

    /// Sets the width and height of current and future tabs in pixels.
    ///
    /// # Errors
    /// As for [`Profile::new_page`].
    pub async fn resize(&mut self, viewport: (u32, u32)) -> Result<()> {
        self.viewport = viewport;
        for page in self.pages() {
            page.set_viewport(viewport).await?;
        }
        Ok(())
    }

    /// Sets cookies, by name and value, for the site at an address.
    ///
    /// # Errors
    /// As for [`Profile::new_page`]; [`Error::Protocol`] for an invalid name or value.
    pub async fn set_cookies(&self, address: &str, cookies: &[(String, String)]) -> Result<()> {
        let cookie = |(name, value): &(String, String)| Cookie {
            url: address.to_owned(),
            name: name.clone(),
            value: value.clone(),
        };
        let set = SetCookies {
            cookies: cookies.iter().map(cookie).collect(),
            browser_context_id: self.context.clone(),
        };
        let set = self.chromium.wire.command(None, set);
        within(self.shared.settings.command_timeout, "setting cookies", set)
            .await
            .map(drop)
    }

    /// Returns the refused addresses that the profile's pages requested since the last call.
    pub fn drain_blocked_requests(&self) -> Vec<String> {
        self.chromium.gate.rules.take_refused_to_pages()
    }

    /// Returns the first 1,000 refused requests of the profile's pages and of the browser itself:
    /// addresses, or `HOST:PORT` for tunnels.
    pub fn refused(&self) -> Vec<String> {
        self.chromium.gate.rules.refused()
    }

    /// Returns the browser's process id, which is also its process group id.
    pub fn process_id(&self) -> u32 {
        self.chromium.pid
    }

    /// Deletes the profile and returns the browser to the pool. Ends the browser instead if this
    /// fails or an earlier command timed out.
    pub async fn close(self) {
        let dispose = self.chromium.wire.command(
            None,
            DisposeBrowserContext {
                browser_context_id: self.context.clone(),
            },
        );
        let disposed = within(
            self.shared.settings.command_timeout,
            "closing a profile",
            dispose,
        )
        .await
        .is_ok();
        if disposed && !self.has_timed_out.load(Ordering::Relaxed) {
            self.chromium.gate.rules.allow(Reach::default());
            self.shared.return_browser(self.chromium);
        }
    }

    fn page_of(&self, tab: Arc<Tab>) -> Page {
        Page {
            wire: self.chromium.wire.clone(),
            tab,
            rules: Arc::clone(&self.chromium.gate.rules),
            limit: self.shared.settings.command_timeout,
            has_timed_out: Arc::clone(&self.has_timed_out),
        }
    }
}
