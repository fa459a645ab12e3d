//! A pool of warm browsers, each of which serves one attempt after another.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::chromium::{self, Chromium};
use crate::error::{Error, Result};
use crate::profile::Profile;
use crate::reach::Reach;

/// Settings of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Path of the program; `None` for the first of `chromium`, `chromium-browser`,
    /// `google-chrome-stable` and `google-chrome` on `PATH`.
    pub program: Option<PathBuf>,
    /// Maximum concurrent browsers, each with one profile at a time; at least 1.
    pub browsers: usize,
    /// Number of profiles that a browser serves before it is replaced; at least 1.
    pub profiles_per_browser: u32,
    /// Wall time limit for each command to a page.
    pub command_timeout: Duration,
    /// Wall time limit for starting a browser.
    pub start_timeout: Duration,
    /// Memory limit for all processes of a browser together (proportional set size, measured twice
    /// a second; Linux only).
    pub memory_limit_mb: u64,
    /// Width and height of a page in pixels.
    pub viewport: (u32, u32),
    /// Whether Chromium's own sandbox isolates pages from the machine. If this program runs as
    /// root, Chromium runs as `nobody` if possible, which the sandbox requires.
    pub is_sandboxed: bool,
    /// Whether the browsers' windows are visible.
    pub is_visible: bool,
}

impl Default for Settings {
    /// Default settings: the first Chromium on `PATH`; 2 browsers; 50 profiles each; 15 s per
    /// command; 30 s to start; 1,024 MB; 1280 × 900 pixels; no sandbox; no windows.
    fn default() -> Self {
        Self {
            program: None,
            browsers: 2,
            profiles_per_browser: 50,
            command_timeout: Duration::from_secs(15),
            start_timeout: Duration::from_secs(30),
            memory_limit_mb: 1_024,
            viewport: (1_280, 900),
            is_sandboxed: false,
            is_visible: false,
        }
    }
}

/// A pool of browsers. Dropping the pool and its profiles ends all their processes and deletes all
/// their files.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
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
        let program = chromium::find(settings.program.as_deref())?;
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
    pub(crate) fn return_browser(&self, chromium: Chromium) {
        if chromium.served < self.settings.profiles_per_browser {
            self.idle.lock().push(chromium);
        }
    }
}
