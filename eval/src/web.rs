//! Worlds of tasks in a real browser: the engine's traits over the crate `browser`, and the sites of a benchmark on loopback.

mod site;
mod page;

mod apps;

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::Dataset;
use browser::{Pool, Settings};
use harness::Task;
use harness::model::web::{AppCall, AppHost, Browser, Page, PageError, PageProblem};
use tokio::sync::mpsc::UnboundedSender;

use apps::BrowserApps;
use page::{Tab, Window};
use site::Site;

/// Gives each attempt at a sample with a web site that site and a fresh profile. The attempt's server and profile end with the
/// last of its pages.
pub(crate) struct Web {
    pool: Pool,
    dataset: Arc<dyn Dataset>,
}

impl Web {
    /// Finds and starts a browser, so that a missing or broken one is reported before any attempt begins.
    ///
    /// # Errors
    /// As [`Pool::open`].
    pub(crate) async fn open(dataset: Arc<dyn Dataset>, browsers: usize) -> browser::Result<Self> {
        let settings = Settings {
            browsers,
            ..Settings::default()
        };
        Ok(Self {
            pool: Pool::open(settings).await?,
            dataset,
        })
    }
}

#[async_trait]
impl Browser for Web {
    async fn open(&self, task: &Task) -> Result<Arc<dyn Page>, PageError> {
        let Some(site) = self.dataset.site(&task.sample) else {
            let message = format!("the sample {} has no web site", task.sample);
            return Err(PageError::new(PageProblem::Broken, message));
        };
        let start = site.start();
        let site = Site::serve(site).await.map_err(|error| {
            let message = format!("cannot serve the site of {}: {error}", task.sample);
            PageError::new(PageProblem::Broken, message)
        })?;
        let origins = [site.origin()];
        let profile = self
            .pool
            .profile(&origins)
            .await
            .map_err(page::page_error)?;
        let first = profile.page().map_err(page::page_error)?;
        let tab = Tab::new(Window::new(profile, site), first);
        tab.begin(start).await?;
        Ok(Arc::new(tab))
    }

    async fn open_apps(
        &self,
        task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError> {
        let Some(world) = self.dataset.app_world(&task.sample) else {
            let message = format!("the sample {} has no apps", task.sample);
            return Err(PageError::new(PageProblem::Broken, message));
        };
        Ok(Arc::new(BrowserApps::open(&self.pool, world, calls).await?))
    }
}
