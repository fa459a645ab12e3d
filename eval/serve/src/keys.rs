//! The clients of the server, with their keys and permissions.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use globset::GlobSet;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use model::Budget;
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// SHA-256 of a key. The key itself is not stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a key.
    pub fn of(key: &str) -> Self {
        Self(Sha256::digest(key).into())
    }

    /// Parses 64 hex digits. Returns `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        hex::decode_to_slice(text, &mut hash).ok()?;
        Some(Self(hash))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// A client and its permissions.
#[derive(Debug)]
pub struct Client {
    /// Name of the client in the server's settings.
    pub name: String,
    /// Patterns of the model names that the client may use; `None` means all.
    pub offers: Option<GlobSet>,
    rate: Option<(NonZeroU32, DefaultDirectRateLimiter)>,
    at_once: Option<(usize, Arc<Semaphore>)>,
    /// Limits for all requests of the client together while the server runs.
    pub budget: Budget,
}

impl Client {
    /// Creates a client with all permissions. The name appears in metrics and records.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            offers: None,
            rate: None,
            at_once: None,
            budget: Budget::default(),
        }
    }

    /// Limits the requests per minute. All of them may arrive in one burst.
    #[must_use]
    pub fn per_minute(self, requests: NonZeroU32) -> Self {
        let limiter = RateLimiter::direct(Quota::per_minute(requests));
        Self {
            rate: Some((requests, limiter)),
            ..self
        }
    }

    /// Limits the concurrent requests.
    #[must_use]
    pub fn at_once(self, requests: usize) -> Self {
        Self {
            at_once: Some((requests, Arc::new(Semaphore::new(requests)))),
            ..self
        }
    }

    /// Whether the client may use the model of this name.
    pub fn may_use(&self, offer: &str) -> bool {
        self.offers
            .as_ref()
            .is_none_or(|offers| offers.is_match(offer))
    }

    /// Counts a request toward the client's limits. The returned permit must be held until the
    /// request has ended.
    ///
    /// # Errors
    /// Returns [`ApiError`] if the client has reached a limit.
    pub fn admit(&self) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        let permit = match &self.at_once {
            None => None,
            Some((most, free)) => {
                let permit = Arc::clone(free).try_acquire_owned();
                Some(permit.map_err(|_| {
                    let message =
                        format!("this client may have at most {most} concurrent requests");
                    ApiError::too_many(message, 1)
                })?)
            }
        };
        if let Some((most, limiter)) = &self.rate
            && let Err(early) = limiter.check()
        {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let message = format!("this client may send at most {most} requests per minute");
            return Err(ApiError::too_many(message, seconds_up(wait)));
        }
        Ok(permit)
    }
}

fn seconds_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// All clients of the server.
#[derive(Debug)]
pub struct Clients(Known);

#[derive(Debug)]
enum Known {
    Anybody(Arc<Client>),
    ByKey(HashMap<KeyHash, Arc<Client>>),
}

impl Clients {
    /// Accepts all clients, without keys.
    pub fn anybody() -> Self {
        Self(Known::Anybody(Arc::new(Client::new("anyone"))))
    }

    /// Accepts clients with one of these keys.
    pub fn with_keys(clients: impl IntoIterator<Item = (KeyHash, Client)>) -> Self {
        let clients = clients.into_iter();
        let shared = clients.map(|(key, client)| (key, Arc::new(client)));
        Self(Known::ByKey(shared.collect()))
    }

    /// Whether more than one key is accepted.
    pub fn are_several(&self) -> bool {
        matches!(&self.0, Known::ByKey(clients) if clients.len() > 1)
    }

    /// Whether a key is required.
    pub const fn need_keys(&self) -> bool {
        matches!(self.0, Known::ByKey(_))
    }

    /// Returns the client that sent a request with these headers.
    pub(crate) fn of(&self, headers: &HeaderMap) -> Result<Arc<Client>, ApiError> {
        let clients = match &self.0 {
            Known::Anybody(client) => return Ok(Arc::clone(client)),
            Known::ByKey(clients) => clients,
        };
        let sent = headers.get(AUTHORIZATION).and_then(|value| {
            let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
        });
        // Look up the hash instead of the key, so that the duration reveals nothing about keys.
        let client = sent.and_then(|key| clients.get(&KeyHash::of(key)));
        client.map(Arc::clone).ok_or_else(ApiError::no_key)
    }
}
