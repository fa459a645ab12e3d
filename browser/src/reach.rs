//! Origins that a profile may reach, and the addresses allowed for them.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::Url;

use crate::address::is_public;

/// An origin that a profile may reach, such as `http://127.0.0.1:8080` or `https://example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    is_secure: bool,
    host: String,
    port: u16,
}

/// Error for a string that is not an [`Origin`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid origin {0:?}: expected https://HOST or, with a port, http://127.0.0.1:PORT")]
pub struct OriginError(String);

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let wrong = || OriginError(text.to_owned());
        let url = Url::parse(text).map_err(|_| wrong())?;
        let origin = Self::of(&url).ok_or_else(wrong)?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_named = url.username().is_empty() && url.password().is_none();
        let is_web = matches!(url.scheme(), "http" | "https");
        if is_web && is_bare && is_named {
            Ok(origin)
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.is_secure {
            ("https", 443)
        } else {
            ("http", 80)
        };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == usual {
            return Ok(());
        }
        write!(f, ":{}", self.port)
    }
}

impl Origin {
    /// Returns the origin of a port on `127.0.0.1`.
    pub fn loopback(port: u16) -> Self {
        Self {
            is_secure: false,
            host: "127.0.0.1".to_owned(),
            port,
        }
    }

    /// Returns the origin of an address; `None` if it has no host or no known port.
    pub fn of(url: &Url) -> Option<Self> {
        let port = url.port_or_known_default()?;
        Some(Self {
            is_secure: matches!(url.scheme(), "https" | "wss"),
            host: url.host_str()?.to_ascii_lowercase(),
            port,
        })
    }

    /// Whether the host name alone shows that the origin is on this machine or in a private
    /// network. [`Reach`] resolves other names.
    pub fn is_local(&self) -> bool {
        let (host, _) = self.place();
        if let Ok(address) = host.parse() {
            return !is_public(address);
        }
        let name = host.strip_suffix('.').unwrap_or(host);
        name == "localhost" || name.ends_with(".localhost")
    }

    /// Returns the host and the port. An IPv6 address has no brackets.
    pub fn place(&self) -> (&str, u16) {
        (self.host.trim_matches(['[', ']']), self.port)
    }

    /// Whether both origins have the same host and port.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.host == other.host && self.port == other.port
    }
}

/// Origins that a profile may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Origins allowed at any address, including this machine and its networks.
    pub anywhere: Vec<Origin>,
    /// Origins allowed only at public internet addresses, even if their names resolve to other
    /// addresses.
    pub public: Vec<Origin>,
}

/// Reason why an origin cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// The host name does not resolve.
    #[error("cannot resolve {host}: {reason}")]
    Unresolved {
        /// Host name.
        host: String,
        /// Error of the operating system.
        reason: std::io::Error,
    },
    /// The origin is on this machine or in one of its networks.
    #[error("{origin} is at {address}, an address of this machine or of a private network")]
    Local {
        /// The origin.
        origin: Origin,
        /// An address of the origin.
        address: IpAddr,
    },
    /// The origin is not allowed.
    #[error("{0} is not within reach")]
    Unknown(Origin),
}

impl Reach {
    /// Allows only the given origins, at any address.
    pub fn anywhere(origins: impl IntoIterator<Item = Origin>) -> Self {
        Self {
            anywhere: origins.into_iter().collect(),
            public: Vec::new(),
        }
    }

    /// Returns all allowed origins.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        self.anywhere.iter().chain(&self.public)
    }

    /// Whether a web address belongs to one of the origins. Compares only host and port, because a
    /// tunnel does not reveal its scheme.
    pub(crate) fn permits(&self, url: &Url) -> bool {
        Origin::of(url).is_some_and(|origin| self.origins().any(|one| one.is_at(&origin)))
    }

    /// Resolves an origin to its allowed addresses, at least one. Callers connect to these
    /// addresses instead of the name, which could resolve differently later.
    ///
    /// # Errors
    /// [`ReachError`].
    pub async fn resolve(&self, origin: &Origin) -> Result<Vec<SocketAddr>, ReachError> {
        let is_here = |origins: &[Origin]| origins.iter().any(|one| one.is_at(origin));
        let is_anywhere = is_here(&self.anywhere);
        if !is_anywhere && !is_here(&self.public) {
            return Err(ReachError::Unknown(origin.clone()));
        }
        let (host, port) = origin.place();
        let unresolved = |reason| ReachError::Unresolved {
            host: host.to_owned(),
            reason,
        };
        let found = tokio::net::lookup_host((host, port)).await;
        let found: Vec<SocketAddr> = found.map_err(unresolved)?.collect();
        let (within, local): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|address| is_anywhere || is_public(address.ip()));
        match (within.is_empty(), local.first()) {
            (false, _) => Ok(within),
            (true, Some(address)) => Err(ReachError::Local {
                origin: origin.clone(),
                address: address.ip(),
            }),
            (true, None) => Err(unresolved(std::io::Error::other("it has no addresses"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Origin, Reach};

    /// Each row contains an origin, its normalized form, and the address that it resolves to unless
    /// that address is public.
    #[test]
    fn resolves_public_origins_only_to_public_addresses() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let rows = [
            ("http://1.1.1.1", "http://1.1.1.1", None),
            ("http://127.0.0.1:80", "http://127.0.0.1", Some("127.0.0.1")),
            ("http://0x7f.1", "http://127.0.0.1", Some("127.0.0.1")),
            ("http://2130706433", "http://127.0.0.1", Some("127.0.0.1")),
            (
                "http://0.0.0.0:8080",
                "http://0.0.0.0:8080",
                Some("0.0.0.0"),
            ),
            (
                "http://169.254.169.254",
                "http://169.254.169.254",
                Some("169.254.169.254"),
            ),
            ("http://[::1]:8080", "http://[::1]:8080", Some("::1")),
            (
                "http://[::ffff:10.0.0.1]",
                "http://[::ffff:a00:1]",
                Some("::ffff:10.0.0.1"),
            ),
        ];
        for (text, shown, address) in rows {
            let origin: Origin = text.parse().unwrap();
            let public = Reach {
                public: vec![origin.clone()],
                ..Reach::default()
            };
            let found = runtime
                .block_on(public.resolve(&origin))
                .map_err(|error| error.to_string());
            let expected = address.map(|address| {
                format!(
                    "{shown} is at {address}, an address of this machine or of a private network"
                )
            });
            assert_eq!(found.err(), expected, "{text}");
            assert_eq!(origin.is_local(), address.is_some(), "{text}");
            let anywhere = Reach::anywhere([origin.clone()]);
            assert!(
                runtime.block_on(anywhere.resolve(&origin)).is_ok(),
                "{text}"
            );
            let error = runtime
                .block_on(Reach::default().resolve(&origin))
                .unwrap_err();
            assert_eq!(error.to_string(), format!("{shown} is not within reach"));
        }
    }

    #[test]
    fn recognizes_local_names() {
        for (text, expected) in [
            ("http://localhost:1", true),
            ("http://LOCALHOST.:1", true),
            ("http://a.localhost", true),
            ("https://localhost.example.com", false),
            ("https://example.com", false),
        ] {
            let origin: Origin = text.parse().unwrap();
            assert_eq!(origin.is_local(), expected, "{text}");
        }
    }
}
