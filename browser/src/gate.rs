//! The proxy on loopback through which all of a browser's requests pass. It forwards requests to
//! allowed origins if they resolve to allowed IP addresses, and refuses all other requests.
//!
//! Unlike interception inside the browser, a proxy also covers workers, web sockets and the
//! browser's own traffic.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::reach::{Origin, Reach, ReachError};

/// Maximum bytes of a request's header. The gate closes the connection if a header is longer.
const HEAD_LIMIT: usize = 64 * 1024;
/// Maximum number of refused addresses in each list of [`Rules`].
const REFUSED_KEPT: usize = 1_000;

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
        keep(&rules.refused, target);
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
            keep(&rules.refused, target);
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
