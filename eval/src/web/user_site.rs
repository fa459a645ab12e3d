//! A user-supplied web site for an attempt: its server, its address, and the start URL.

use std::any::Any;
use std::sync::Arc;

use benchmarks::{SiteSource, UserSite};
use browser::{Origin, Reach, ReachError};
use url::Url;

use super::check::Checks;
use super::folder_server;
use super::server_process::ServerProcess;

/// Lock of an address that only one attempt may use at a time.
pub(super) type AddressLock = Arc<tokio::sync::Mutex<()>>;

/// An open site, which closes when dropped.
pub(super) struct OpenSite {
    /// Start URL of the attempt.
    pub(super) start: Url,
    /// Origin of the site.
    pub(super) origin: Origin,
    /// Reachable origins, including the site's own.
    pub(super) reach: Reach,
    pub(super) checks: Checks,
    /// Server of this attempt with the lock of its address; `None` if the site is already running
    /// elsewhere.
    pub(super) server: Option<Server>,
}

type Server = Box<dyn Any + Send + Sync>;

impl OpenSite {
    /// Opens the site of a row. `turn` returns the lock of its server's address. Third-party sites
    /// must have public addresses unless `allow_local` is set.
    ///
    /// # Errors
    /// A sentence about a server that does not start or an invalid address.
    pub(super) async fn open(
        site: &UserSite,
        allow_local: bool,
        turn: impl FnOnce(&str) -> AddressLock,
    ) -> Result<Self, String> {
        let wrong = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
        let (base, server): (Url, Option<Server>) = match &site.source {
            SiteSource::Address(address) => {
                let url = Url::parse(address).map_err(|error| wrong(address, &error))?;
                (url, None)
            }
            SiteSource::Folder(folder) => {
                let served = folder_server::open(folder).await;
                let served =
                    served.map_err(|error| wrong(&folder.display().to_string(), &error))?;
                let origin = served.origin.to_string();
                let url = Url::parse(&origin).map_err(|error| wrong(&origin, &error))?;
                (url, Some(Box::new(served)))
            }
            SiteSource::Command(command) => {
                // A port chosen for this attempt does not need a lock.
                let turn = if command.address.contains("{port}") {
                    None
                } else {
                    Some(turn(&command.address).lock_owned().await)
                };
                let server = ServerProcess::start(command).await?;
                // The lock is released after the server has ended.
                (server.address.clone(), Some(Box::new((server, turn))))
            }
        };
        let start = base
            .join(&site.start)
            .map_err(|error| wrong(&site.start, &error))?;
        let own = Origin::of(&base).ok_or_else(|| wrong(base.as_str(), &"the host is missing"))?;
        let mut within_reach = vec![own.clone()];
        for origin in &site.allow {
            within_reach.push(origin.parse().map_err(|error| wrong("allow", &error))?);
        }
        let is_served_here = |origin: &Origin| *origin == own && server.is_some();
        let (anywhere, public) = within_reach
            .into_iter()
            .partition(|origin| allow_local || is_served_here(origin));
        let reach = Reach { anywhere, public };
        // Ignore other errors: the browser reports names that do not resolve.
        if let Err(error @ ReachError::Local { .. }) = reach.resolve(&own).await {
            return Err(format!(
                "{error}; if you trust these rows, add --allow-local"
            ));
        }
        Ok(Self {
            start,
            origin: own,
            reach,
            checks: Checks::new(site.checks.clone()),
            server,
        })
    }
}
