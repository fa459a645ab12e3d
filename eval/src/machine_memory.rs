//! Compares the memory limits of concurrent attempts with the memory of the machine.

/// Returns a warning if `concurrency` heaps at their limit exceed the machine's memory. Most
/// attempts use little of theirs.
pub fn too_little(concurrency: usize, heap_bytes: u64) -> Option<String> {
    remark(concurrency, heap_bytes, total_bytes()?)
}

fn remark(concurrency: usize, heap_bytes: u64, total: u64) -> Option<String> {
    let needed = heap_bytes.saturating_mul(concurrency as u64);
    (needed > total).then(|| {
        format!(
            "{concurrency} attempts at once may take {} MB of heap ({} MB each), and the machine has {} MB: where many \
             need it, lower --concurrency or --memory-limit",
            needed >> 20,
            heap_bytes >> 20,
            total >> 20
        )
    })
}

/// Returns the memory of the machine in bytes, if known.
fn total_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::remark;

    #[test]
    fn heaps_that_do_not_fit_are_remarked_upon() {
        assert_eq!(remark(4, 2048 << 20, 8 << 30), None);
        insta::assert_snapshot!(
            remark(8, 2048 << 20, 8 << 30).unwrap_or_default(),
            @"8 attempts at once may take 16384 MB of heap (2048 MB each), and the machine has 8192 MB: where many need it, lower --concurrency or --memory-limit"
        );
    }
}
