//! Claims on attempts, so that a worker does not make an attempt twice concurrently.

use std::collections::HashSet;

use parking_lot::Mutex;

/// Attempts that this worker is making. The queue delivers an attempt to the same worker again if
/// its lease expires, for example because the machine was suspended.
#[derive(Default)]
pub(super) struct Claims(Mutex<HashSet<(String, u32)>>);

/// Claim on an attempt, which ends when dropped.
pub(super) struct Claim<'a> {
    claims: &'a Claims,
    key: (String, u32),
}

impl Claims {
    /// Claims an attempt, unless it is claimed already.
    pub(super) fn claim(&self, sample: &str, attempt: u32) -> Option<Claim<'_>> {
        let key = (sample.to_owned(), attempt);
        let is_new = self.0.lock().insert(key.clone());
        is_new.then(|| Claim { claims: self, key })
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.claims.0.lock().remove(&self.key);
    }
}
