//! The proxy on loopback through which all of a browser's requests pass. It forwards requests to
//! allowed origins if they resolve to allowed IP addresses, and refuses all other requests.
//!
//! Unlike interception inside the browser, a proxy also covers workers, web sockets and the
//! browser's own traffic.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::address::is_public;
use crate::reach::{Reach, ReachError};

/// Maximum bytes of a request's header. The gate closes the connection if a header is longer.
const HEAD_LIMIT: usize = 64 * 1024;
/// Maximum number of refused addresses in each list of [`Rules`].
const REFUSED_KEPT: usize = 1_000;

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

/// Origins that one browser's gate currently allows, and addresses that the gate has refused.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    reach: Mutex<Reach>,
    refused: Mutex<Vec<String>>,
    /// Refused addresses that pages requested, as opposed to the browser itself.
    of_pages: Mutex<Vec<String>>,
}

impl Rules {
    pub(crate) fn allow(&self, reach: Reach) {
        *self.reach.lock() = reach;
        self.refused.lock().clear();
        self.of_pages.lock().clear();
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach.lock().clone()
    }

    pub(crate) fn refused(&self) -> Vec<String> {
        self.refused.lock().clone()
    }

    /// Whether the address's host and port are allowed. The host name is not resolved.
    pub(crate) fn permits(&self, url: &Url) -> bool {
        self.reach.lock().permits(url)
    }

    /// Records a page's request for an address that will be refused.
    pub(crate) fn on_request(&self, address: &str) {
        let url = Url::parse(address).ok();
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https" | "ws" | "wss");
        if url.is_some_and(|url| is_web(&url) && !self.permits(&url)) {
            keep(&self.of_pages, address);
        }
    }

    /// Returns the refused addresses that pages requested since the last call.
    pub(crate) fn take_refused_to_pages(&self) -> Vec<String> {
        std::mem::take(&mut *self.of_pages.lock())
    }

    fn refuse(&self, target: &str) {
        keep(&self.refused, target);
    }
}

fn keep(refused: &Mutex<Vec<String>>, target: &str) {
    let mut refused = refused.lock();
    if refused.len() < REFUSED_KEPT {
        refused.push(target.chars().take(2_000).collect());
    }
}

/// A running gate. Dropping it closes the port and every connection through it.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) port: u16,
    pub(crate) rules: Arc<Rules>,
    _serving: JoinSet<()>,
}

impl Gate {
    pub(crate) async fn open() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let rules = Arc::new(Rules::default());
        let mut serving = JoinSet::new();
        let gate_rules = Arc::clone(&rules);
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                if let Ok((stream, _)) = listener.accept().await {
                    let rules = Arc::clone(&gate_rules);
                    connections.spawn(async move { drop(serve(stream, &rules).await) });
                }
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self {
            port,
            rules,
            _serving: serving,
        })
    }
}

/// Serves one connection: one request to one origin, or a tunnel.
async fn serve(mut browser: TcpStream, rules: &Rules) -> std::io::Result<()> {
    let Some((head, rest)) = read_head(&mut browser).await? else {
        return Ok(());
    };
    let mut lines = head.split("\r\n");
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version)) =
        (request.next(), request.next(), request.next())
    else {
        return Ok(());
    };
    let tunnel = method == "CONNECT";
    let url = if tunnel {
        Url::parse(&format!("http://{target}"))
    } else {
        Url::parse(target)
    };
    let Some(url) = url.ok().filter(|url| rules.permits(url)) else {
        rules.refuse(target);
        return Ok(());
    };
    let Some(origin) = Origin::of(&url) else {
        return Ok(());
    };
    // Connect to the checked addresses instead of the name, which could now resolve differently.
    let addresses = match rules.reach().resolve(&origin).await {
        Ok(addresses) => addresses,
        Err(ReachError::Unresolved { reason, .. }) => return Err(reason),
        Err(ReachError::Local { .. } | ReachError::Unknown(_)) => {
            rules.refuse(target);
            keep(&rules.of_pages, url.as_str());
            return Ok(());
        }
    };
    let mut server = TcpStream::connect(&addresses[..]).await?;
    if tunnel {
        browser.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    } else {
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut forwarded = format!("{method} {path} {version}\r\n");
        // Close the connection after the response, because the next request may be for another
        // origin.
        for line in lines.filter(|line| !line.is_empty() && !is_hop(line)) {
            forwarded.push_str(line);
            forwarded.push_str("\r\n");
        }
        forwarded.push_str("Connection: close\r\n\r\n");
        server.write_all(forwarded.as_bytes()).await?;
    }
    server.write_all(&rest).await?;
    tokio::io::copy_bidirectional(&mut browser, &mut server)
        .await
        .map(drop)
}

fn is_hop(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    name.eq_ignore_ascii_case("connection") || name.eq_ignore_ascii_case("proxy-connection")
}

/// Returns the header without its blank line, and any bytes received after it. `None` if the header
/// is incomplete, too long or not UTF-8.
async fn read_head(stream: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            bytes.truncate(end);
            return Ok(String::from_utf8(bytes).ok().map(|head| (head, rest)));
        }
        if bytes.len() > HEAD_LIMIT || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}
