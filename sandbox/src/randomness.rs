//! Random numbers for `Math.random` and `crypto`. The generators belong to the isolate's thread.
//! When a session begins, they are seeded by the system or from the session's
//! [`SessionStart`](crate::message::SessionStart).
//!
//! In a worker that is a copy of a server, the engine's own generator would continue from the
//! server's state and return the same numbers in all copies.

use std::cell::RefCell;
use std::sync::Once;

use deno_core::v8::V8;
use rand::rngs::{SmallRng, StdRng, SysRng};
use rand::{Rng as _, SeedableRng};

thread_local! {
    static NUMBERS: RefCell<SmallRng> = RefCell::new(seeded());
    /// Cryptographically secure generator.
    static BYTES: RefCell<StdRng> = RefCell::new(seeded());
}

/// Makes the isolates of this process use these generators. Must be called before the first isolate
/// is created.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        V8::set_entropy_source(|bytes| {
            NUMBERS.with_borrow_mut(|numbers| numbers.fill_bytes(bytes));
            true
        });
    });
}

/// Returns 32 random bits.
pub(crate) fn draw() -> u32 {
    NUMBERS.with_borrow_mut(rand::Rng::next_u32)
}

/// Seeds the generators with system randomness for a session that begins on the calling thread.
pub(crate) fn begin() {
    NUMBERS.set(seeded());
    BYTES.set(seeded());
}

/// Seeds the generators from a number, so that they are reproducible.
pub(crate) fn begin_with(seed: u64) {
    NUMBERS.set(SmallRng::seed_from_u64(seed));
    BYTES.set(StdRng::seed_from_u64(!seed));
}

/// Returns `length` unpredictable random bytes.
pub(crate) fn bytes(length: u32) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    BYTES.with_borrow_mut(|generator| generator.fill_bytes(&mut bytes));
    bytes
}

/// Creates a generator seeded by the system. Avoids the thread-local generator of `rand`, which
/// would be copied with the process.
fn seeded<R: SeedableRng>() -> R {
    R::try_from_rng(&mut SysRng).unwrap_or_else(|_| rand::make_rng())
}
