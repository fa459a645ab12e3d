//! Environments in a real browser: implements the engine's traits with the crate `browser`, and
//! serves benchmark sites on loopback.

mod blocked_requests;
mod check;

mod loopback_server;
mod folder_server;
mod server_process;
mod user_site;
mod site;
mod page;

mod apps;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::{Dataset, UserEnvironment, UserSite};
use browser::{Error, Pool, Reach, Settings};
use harness::Task;
use harness::model::web::{AppCall, AppHost, Browser, Page, PageError, PageProblem};
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use apps::{BrowserApps, PersistentState};
use blocked_requests::AttemptProfile;
use page::{AttemptSite, Tab, Window};
use site::Site;
use user_site::{AddressLock, OpenSite};

/// Opens a web site and a fresh browser profile for every attempt at a sample with an environment.
/// Dropping the attempt's last page ends its server and profile.
pub(crate) struct Web {
    pool: Pool,
    environments: EnvironmentSource,
    kept: PersistentState,
    allow_local: bool,
    /// Locks of the addresses at which user-supplied rows start servers, by address.
    address_locks: Mutex<HashMap<String, AddressLock>>,
}

/// Source of the environments of attempts.
pub(crate) enum EnvironmentSource {
    /// Environments of the samples in a dataset.
    Dataset(Arc<dyn Dataset>),
    /// One environment for all attempts.
    One(UserEnvironment),
}

/// Browser settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WebSettings {
    /// Maximum concurrent browsers.
    pub browsers: usize,
    /// Whether third-party pages may run without Chromium's own sandbox.
    pub trust_pages: bool,
    /// Whether pages may reach this machine and its networks, not only the servers of their rows.
    pub allow_local: bool,
    /// Whether a person sees the apps and ends the attempt by closing them.
    pub is_visible: bool,
}

impl EnvironmentSource {
    fn own(&self, sample: &str) -> Result<Option<UserEnvironment>, PageError> {
        match self {
            Self::One(world) => Ok(Some(world.clone())),
            Self::Dataset(dataset) => dataset
                .user_environment(sample)
                .map_err(|error| broken(error.to_string())),
        }
    }

    /// Whether the author of the pages that the browser shows is this program, or a model in a
    /// benchmark of this program. These pages may run without Chromium's sandbox if it is
    /// unavailable.
    fn is_of_this_program(&self) -> bool {
        let Self::Dataset(dataset) = self else {
            return false;
        };
        let first = dataset.ids().first();
        first.is_some_and(|id| dataset.site(id).is_some() || dataset.app_world(id).is_some())
    }
}

impl Web {
    /// Finds and starts a browser, so that a missing or broken browser is reported before the first
    /// attempt.
    ///
    /// # Errors
    /// Like [`Pool::open`].
    pub(crate) async fn open(
        environments: EnvironmentSource,
        settings: WebSettings,
    ) -> browser::Result<Self> {
        let is_of_this_program = environments.is_of_this_program();
        let without = Settings {
            browsers: settings.browsers,
            is_sandboxed: false,
            is_visible: settings.is_visible,
            ..Settings::default()
        };
        let within = Settings {
            is_sandboxed: true,
            ..without.clone()
        };
        let pool = if settings.trust_pages {
            Pool::open(without).await?
        } else {
            match Pool::open(within).await {
                Err(Error::NoSandbox { .. }) if is_of_this_program => Pool::open(without).await?,
                opened => opened?,
            }
        };
        Ok(Self {
            pool,
            environments,
            allow_local: settings.allow_local,
            kept: PersistentState {
                is_visible: settings.is_visible,
                ..PersistentState::default()
            },
            address_locks: Mutex::default(),
        })
    }

    /// Returns a sentence about the blocked requests of pages, if any.
    pub(crate) fn refused(&self) -> Option<String> {
        self.kept.refused.sum()
    }

    /// Returns the HTML of the app that was launched last.
    pub(crate) fn launched(&self) -> Option<String> {
        self.kept.launched.lock().clone()
    }

    /// Opens a user-supplied site with its server and a browser profile for an attempt.
    async fn open_own(&self, own: &UserSite) -> Result<Arc<dyn Page>, PageError> {
        let turn = |address: &str| {
            let mut address_locks = self.address_locks.lock();
            Arc::clone(address_locks.entry(address.to_owned()).or_default())
        };
        let site = OpenSite::open(own, self.allow_local, turn)
            .await
            .map_err(broken)?;
        let profile = self.pool.profile(&site.reach).await;
        let mut profile = profile.map_err(page::page_error)?;
        if let Some(viewport) = own.viewport {
            profile.resize(viewport).await.map_err(page::page_error)?;
        }
        let start = site.start.to_string();
        if !own.cookies.is_empty() {
            let set = profile.set_cookies(&start, &own.cookies).await;
            set.map_err(|error| broken(format!("cookies: {error}")))?;
        }
        let script = (!own.storage.is_empty()).then(|| {
            let pairs = json!(own.storage);
            let origin = json!(site.origin.to_string());
            format!(
                "if (location.origin === {origin}) for (const [name, value] of {pairs}) localStorage.setItem(name, value);"
            )
        });
        let first = profile.page().map_err(page::page_error)?;
        let window = Window {
            profile: AttemptProfile::new(profile, Arc::clone(&self.kept.refused)),
            site: AttemptSite::Own(Box::new(site)),
        };
        let tab = Tab::new(window, first);
        tab.begin(&start, script.as_deref()).await?;
        Ok(Arc::new(tab))
    }
}

#[async_trait]
impl Browser for Web {
    async fn open(&self, task: &Task) -> Result<Arc<dyn Page>, PageError> {
        let none = || {
            broken(format!(
                "the sample {} does not have a web site",
                task.sample
            ))
        };
        match self.environments.own(&task.sample)? {
            Some(UserEnvironment::Site(own)) => return self.open_own(&own).await,
            Some(UserEnvironment::Apps(_)) => return Err(none()),
            None => {}
        }
        let EnvironmentSource::Dataset(dataset) = &self.environments else {
            return Err(none());
        };
        let site = dataset.site(&task.sample).ok_or_else(none)?;
        let start = site.start();
        let site = Site::serve(site).await.map_err(|error| {
            broken(format!("cannot serve the site of {}: {error}", task.sample))
        })?;
        let reach = Reach::anywhere([site.origin()]);
        let start = format!("{}{start}", site.origin());
        let profile = self.pool.profile(&reach).await.map_err(page::page_error)?;
        let first = profile.page().map_err(page::page_error)?;
        let window = Window {
            profile: AttemptProfile::new(profile, Arc::clone(&self.kept.refused)),
            site: AttemptSite::Generated(site),
        };
        let tab = Tab::new(window, first);
        tab.begin(&start, None).await?;
        Ok(Arc::new(tab))
    }

    async fn open_apps(
        &self,
        task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError> {
        let own = self.environments.own(&task.sample)?;
        let world = match (own, &self.environments) {
            (Some(UserEnvironment::Apps(world)), _) => Some(world),
            (None, EnvironmentSource::Dataset(dataset)) => dataset.app_world(&task.sample),
            _ => None,
        };
        let Some(world) = world else {
            return Err(broken(format!(
                "the sample {} does not have apps",
                task.sample
            )));
        };
        let kept = self.kept.clone();
        Ok(Arc::new(
            BrowserApps::open(&self.pool, world, calls, kept).await?,
        ))
    }
}

fn broken(message: impl Into<String>) -> PageError {
    PageError::new(PageProblem::Broken, message)
}
