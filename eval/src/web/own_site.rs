//! A web site of one's own for an attempt: its server, where it is, and how the attempt finds it.

use std::sync::Arc;

use benchmarks::{OwnSite, SiteSource};
use browser::{Origin, Reach, ReachError};
use tokio::sync::OwnedMutexGuard;
use url::Url;

use super::check::Checks;
use super::folder_server::FolderServer;
use super::server_process::ServerProcess;

/// An address that one attempt at a time has: its servers cannot share it.
pub(super) type Turn = Arc<tokio::sync::Mutex<()>>;

/// The site, for as long as this lives.
pub(super) struct OpenSite {
    /// Where the attempt begins.
    pub(super) start: Url,
    /// What is within reach; the first is its own.
    pub(super) within_reach: Vec<Origin>,
    /// The same, with the addresses that they may have.
    pub(super) reach: Reach,
    /// Whether agents read its addresses without their origin, whose port differs from attempt to attempt.
    pub(super) is_short: bool,
    pub(super) checks: Checks,
    _server: Server,
}

/// What serves it.
enum Server {
    /// Somebody else.
    Elsewhere,
    Folder {
        _server: FolderServer,
    },
    Process {
        _server: Box<ServerProcess>,
        _turn: Option<OwnedMutexGuard<()>>,
    },
}

impl OpenSite {
    /// Opens the site of a row. `turn` is that of the address of its server. What others serve is at public addresses unless
    /// `allow_local` is set.
    ///
    /// # Errors
    /// A sentence: what does not start, or is no address.
    pub(super) async fn open(
        site: &OwnSite,
        allow_local: bool,
        turn: impl FnOnce(&str) -> Turn,
    ) -> Result<Self, String> {
        let wrong = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
        let (base, is_short, server) = match &site.source {
            SiteSource::Address(address) => {
                let url = Url::parse(address).map_err(|error| wrong(address, &error))?;
                (url, false, Server::Elsewhere)
            }
            SiteSource::Folder(folder) => {
                let served = FolderServer::open(folder).await;
                let served =
                    served.map_err(|error| wrong(&folder.display().to_string(), &error))?;
                let origin = Origin::loopback(served.port).to_string();
                let url = Url::parse(&origin).map_err(|error| wrong(&origin, &error))?;
                (url, true, Server::Folder { _server: served })
            }
            SiteSource::Command(command) => {
                // A port of its own is nobody else's.
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
        let own = Origin::of(&base).ok_or_else(|| wrong(base.as_str(), &"it has no host"))?;
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
        // A name that does not resolve is for the browser to report.
        if let Err(error @ ReachError::Local { .. }) = reach.resolve(&own).await {
            return Err(format!(
                "{error}; if you trust these rows, add --allow-local"
            ));
        }
        Ok(Self {
            start,
            within_reach,
            reach,
            is_short,
            checks: Checks::new(site.checks.clone()),
            _server: server,
        })
    }
}
