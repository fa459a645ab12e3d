//! Compares the memory of the machine with what concurrent attempts use.

use std::sync::atomic::{AtomicBool, Ordering};

/// Memory of a waiting attempt, in bytes. Eight attempts per worker need this much each, more than
/// with any other isolation (docs/concepts/performance.md).
const WAITING_ATTEMPT: u64 = 4 << 20;

/// A run warns if less memory is available than the machine's memory divided by this number.
const LOW_MEMORY_DIVISOR: u64 = 20;

/// Memory of a machine, in bytes.
#[derive(Debug, Clone, Copy)]
struct Memory {
    total: u64,
    available: u64,
}

/// Returns a warning if the available memory is too little for `concurrency` attempts that only
/// wait.
pub fn memory_warning(concurrency: usize) -> Option<String> {
    before(concurrency, memory()?)
}

/// Returns a warning if little memory is available while attempts run; only once per process.
pub fn low_memory_warning(attempts: usize) -> Option<String> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let warning = meanwhile(attempts, memory()?)?;
    (!WARNED.swap(true, Ordering::Relaxed)).then_some(warning)
}

fn before(concurrency: usize, memory: Memory) -> Option<String> {
    let needed = WAITING_ATTEMPT.saturating_mul(concurrency as u64);
    (needed > memory.available).then(|| {
        format!(
            "{concurrency} concurrent attempts use at least {} MB, but only {} MB of memory are \
             available; lower --concurrency",
            needed >> 20,
            memory.available >> 20
        )
    })
}

fn meanwhile(attempts: usize, memory: Memory) -> Option<String> {
    (memory.available < memory.total / LOW_MEMORY_DIVISOR).then(|| {
        format!(
            "only {} of {} MB of memory are available while {attempts} attempts run; lower \
             --concurrency or --memory-limit before the system kills processes",
            memory.available >> 20,
            memory.total >> 20
        )
    })
}

/// Returns the memory of the machine, if known.
fn memory() -> Option<Memory> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    };
    Some(Memory {
        total: field("MemTotal:")?,
        available: field("MemAvailable:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Memory, before, meanwhile};

    #[test]
    fn warns_of_insufficient_memory() {
        let memory = |available: u64| Memory {
            total: 8 << 30,
            available: available << 20,
        };
        assert_eq!(before(500, memory(4000)), None);
        insta::assert_snapshot!(
            before(1000, memory(3000)).unwrap_or_default(),
            @"1000 concurrent attempts use at least 4000 MB, but only 3000 MB of memory are \
                available; lower --concurrency"
        );
        assert_eq!(meanwhile(8, memory(500)), None);
        insta::assert_snapshot!(
            meanwhile(8, memory(300)).unwrap_or_default(),
            @"only 300 of 8192 MB of memory are available while 8 attempts run; lower \
                --concurrency or --memory-limit before the system kills processes"
        );
    }
}
