//! Counts the blocked requests of pages in the profiles of attempts, to report them to the user.

use std::collections::BTreeMap;
use std::sync::Arc;

use browser::{Error, Origin, Page, Profile};
use parking_lot::Mutex;
use url::Url;

use crate::process::terminal::counted;

/// Browser profile of an attempt, which is closed when dropped.
pub(super) struct AttemptProfile {
    /// `Some` until this value is dropped.
    profile: Option<Profile>,
    pub(super) blocked: Arc<BlockedRequests>,
}

impl AttemptProfile {
    pub(super) fn new(profile: Profile, blocked: Arc<BlockedRequests>) -> Self {
        Self {
            profile: Some(profile),
            blocked,
        }
    }

    pub(super) async fn new_page(&self) -> browser::Result<Page> {
        let profile = self.profile.as_ref().ok_or(Error::TabClosed)?;
        profile.new_page().await
    }

    /// Returns the requests blocked since the last call and adds them to the total.
    pub(super) fn drain_blocked_requests(&self) -> Vec<String> {
        let taken = self.profile.as_ref().map(Profile::drain_blocked_requests);
        let taken = taken.unwrap_or_default();
        self.blocked.add(&taken);
        taken
    }
}

impl Drop for AttemptProfile {
    fn drop(&mut self) {
        self.drain_blocked_requests();
        let Some(profile) = self.profile.take() else {
            return;
        };
        // Without a runtime, dropping the profile ends its browser.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(profile.close());
        }
    }
}

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
