//! Counts the blocked requests of pages, to report them to the user.

use std::collections::BTreeMap;

use browser::Origin;
use parking_lot::Mutex;
use url::Url;

use crate::process::terminal::counted;

/// Maximum origins named in the summary.
const MAX_NAMED: usize = 5;

/// Number of blocked requests by origin.
#[derive(Debug, Default)]
pub(crate) struct BlockedRequests(Mutex<BTreeMap<String, u64>>);

impl BlockedRequests {
    pub(super) fn add(&self, addresses: &[String]) {
        let mut counts = self.0.lock();
        for address in addresses {
            let url = Url::parse(address).ok();
            let origin = url.as_ref().and_then(Origin::of);
            let origin = origin.map_or(address.clone(), |origin| origin.to_string());
            *counts.entry(origin).or_default() += 1;
        }
    }

    /// Returns a sentence about all blocked requests, or `None` if no request was blocked.
    pub(crate) fn sum(&self) -> Option<String> {
        let counts = self.0.lock();
        let times: u64 = counts.values().sum();
        let mut named: Vec<(&String, &u64)> = counts.iter().collect();
        named.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let mut words: Vec<String> = named
            .iter()
            .take(MAX_NAMED)
            .map(|(origin, times)| format!("{origin} ({times})"))
            .collect();
        if named.len() > MAX_NAMED {
            words.push(format!("{} more", named.len() - MAX_NAMED));
        }
        (times > 0).then(|| {
            format!(
                "blocked {} of pages to origins out of reach: {}",
                counted(times, "request"),
                words.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BlockedRequests;

    #[test]
    fn counts_requests_by_origin() {
        let refused = BlockedRequests::default();
        assert_eq!(refused.sum(), None);
        refused.add(&["https://a.example/x".to_owned()]);
        let one = "blocked 1 request of pages to origins out of reach: https://a.example (1)";
        assert_eq!(refused.sum().as_deref(), Some(one));
        refused.add(&[
            "ws://b.example:1/".to_owned(),
            "http://b.example:1/y".to_owned(),
            "?".to_owned(),
        ]);
        let all = "blocked 4 requests of pages to origins out of reach: http://b.example:1 (2), ? \
            (1), https://a.example (1)";
        assert_eq!(refused.sum().as_deref(), Some(all));
    }
}
