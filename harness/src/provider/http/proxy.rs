//! The proxy for requests, according to the environment variables that reqwest reads.

use hyper_util::client::proxy::matcher::Matcher;

/// Environment variables that list the servers to access without a proxy.
const NO_PROXY: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Whether the environment excludes every server from proxies. Checked here because reqwest applies
/// `*` only to host names, not to IP addresses.
pub(super) fn is_off() -> bool {
    let mut lists = NO_PROXY.iter().filter_map(|name| std::env::var(name).ok());
    lists.any(|list| list.split(',').any(|entry| entry.trim() == "*"))
}

/// Returns the address of the proxy for a URL, if any, without user and password.
pub(super) fn of(url: &reqwest::Url) -> Option<String> {
    if is_off() {
        return None;
    }
    let intercepted = Matcher::from_env().intercept(&url.as_str().parse().ok()?)?;
    let proxy = intercepted.uri();
    let scheme = proxy.scheme_str().unwrap_or("http");
    let port = proxy.port_u16().map(|port| format!(":{port}"));
    Some(format!(
        "{scheme}://{}{}",
        proxy.host().unwrap_or_default(),
        port.unwrap_or_default()
    ))
}
