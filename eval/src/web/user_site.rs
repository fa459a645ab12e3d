//! A user-supplied web site for an attempt: its server, its address, and the start URL.

use std::sync::Arc;

use benchmarks::{SiteSource, UserSite};
use browser::{Origin, Reach, ReachError};
use tokio::sync::OwnedMutexGuard;
use url::Url;

use super::check::Checks;
use super::folder_server;
use super::loopback_server::LoopbackServer;
use super::server_process::ServerProcess;

/// Lock of an address that only one attempt may use at a time.
pub(super) type AddressLock = Arc<tokio::sync::Mutex<()>>;

/// An open site, which closes when dropped.
pub(super) struct OpenSite {
    /// Start URL of the attempt.
    pub(super) start: Url,
    /// Reachable origins; the first is the site's own.
    pub(super) within_reach: Vec<Origin>,
    /// The same origins with their permitted addresses.
    pub(super) reach: Reach,
    /// Whether agents see URLs without the origin, whose port differs between attempts.
    pub(super) hides_origin: bool,
    pub(super) checks: Checks,
    _server: Server,
}

enum Server {
    /// The site is already running elsewhere.
    Elsewhere,
    Folder {
        _server: LoopbackServer,
    },
    Process {
        _server: Box<ServerProcess>,
        _turn: Option<OwnedMutexGuard<()>>,
    },
}

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
        let (base, hides_origin, server) = match &site.source {
            SiteSource::Address(address) => {
                let url = Url::parse(address).map_err(|error| wrong(address, &error))?;
                (url, false, Server::Elsewhere)
            }
            SiteSource::Folder(folder) => {
                let served = folder_server::open(folder).await;
                let served =
                    served.map_err(|error| wrong(&folder.display().to_string(), &error))?;
                let origin = served.origin.to_string();
                let url = Url::parse(&origin).map_err(|error| wrong(&origin, &error))?;
                (url, true, Server::Folder { _server: served })
            }
            SiteSource::Command(command) => {
                // A port chosen for this attempt does not need a lock.
                let turn = if command.address.contains("{port}") {
                    None
                } else {
                    Some(turn(&command.address).lock_owned().await)
                };
                let server = Box::new(ServerProcess::start(command).await?);
                let url = server.address.clone();
                (
                    url,
                    true,
                    Server::Process {
                        _server: server,
                        _turn: turn,
                    },
                )
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
        let mut reach = Reach::default();
        for origin in &within_reach {
            let is_served_here = *origin == own && !matches!(server, Server::Elsewhere);
            let origins = if allow_local || is_served_here {
                &mut reach.anywhere
            } else {
                &mut reach.public
            };
            origins.push(origin.clone());
        }
        // Ignore other errors: the browser reports names that do not resolve.
        if let Err(error @ ReachError::Local { .. }) = reach.resolve(&own).await {
            return Err(format!(
                "{error}; if you trust these rows, add --allow-local"
            ));
        }
        Ok(Self {
            start,
            within_reach,
            reach,
            hides_origin,
            checks: Checks::new(site.checks.clone()),
            _server: server,
        })
    }
}
