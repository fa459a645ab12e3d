//! What `Math.random` and `crypto` draw from: generators of the isolate's thread, seeded anew when a session begins: by the
//! system, or by what its beginning says.
//!
//! The engine's own would go on from the state of the process that a worker is a copy of, the same in all copies.

use std::cell::RefCell;
use std::sync::Once;

use deno_core::v8::V8;
use rand::rngs::{SmallRng, StdRng, SysRng};
use rand::{Rng as _, SeedableRng};

thread_local! {
    static NUMBERS: RefCell<SmallRng> = RefCell::new(seeded());
    /// Those that nobody may foresee.
    static BYTES: RefCell<StdRng> = RefCell::new(seeded());
}

/// Has the isolates of this process draw from here. For the time before the first one.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        V8::set_entropy_source(|bytes| {
            NUMBERS.with_borrow_mut(|numbers| numbers.fill_bytes(bytes));
            true
        });
    });
}

/// 32 random bits.
pub(crate) fn draw() -> u32 {
    NUMBERS.with_borrow_mut(rand::Rng::next_u32)
}

/// A session begins on the calling thread.
pub(crate) fn begin() {
    NUMBERS.set(seeded());
    BYTES.set(seeded());
}

/// The same with numbers and bytes that follow from a seed: whoever knows it foresees them.
pub(crate) fn begin_with(seed: u64) {
    NUMBERS.set(SmallRng::seed_from_u64(seed));
    BYTES.set(StdRng::seed_from_u64(!seed));
}

/// So many random bytes, unforeseeable.
pub(crate) fn bytes(length: u32) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    BYTES.with_borrow_mut(|generator| generator.fill_bytes(&mut bytes));
    bytes
}

/// Seeded by the system: the generator of `rand` for each thread is copied with the process, too.
fn seeded<R: SeedableRng>() -> R {
    R::try_from_rng(&mut SysRng).unwrap_or_else(|_| rand::make_rng())
}
