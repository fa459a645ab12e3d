//! Whether this process can be copied by `fork`, isolate and all.

/// The threads of a server: the one that is copied, and the one that waits for it and holds no lock.
#[cfg(target_os = "linux")]
const THREADS: usize = 2;

/// Whether builds of this engine can be copied on this system at all.
///
/// V8 keeps its heap from copies where it can (`MADV_DONTFORK`), and only Linux tells what it kept.
pub(super) const AVAILABLE: bool = cfg!(any(not(feature = "v8"), target_os = "linux"));

/// Lets copies have the memory that V8 keeps from them. For the time when the isolate is ready and runs nothing more here.
///
/// V8 marks all that it maps for itself (`V8_ENABLE_PRIVATE_MAPPING_FORK_OPTIMIZATION`): to spare embedders who only
/// run other programs the page tables of its heap. They are plain private mappings, of which a copy has its own, like any
/// other memory; nothing else in the process marks any. What V8 maps later, in a copy, it marks again: copies are not copied.
///
/// # Errors
/// What the kernel does not tell, or does not do.
#[cfg(all(feature = "v8", target_os = "linux"))]
pub(super) fn give_memory_to_copies() -> Result<(), String> {
    use std::ffi::c_void;
    use std::ptr;

    let areas = std::fs::read_to_string("/proc/self/smaps")
        .map_err(|error| format!("/proc/self/smaps cannot be read: {error}"))?;
    for (start, end) in kept_from_copies(&areas) {
        let area = ptr::with_exposed_provenance_mut::<c_void>(start);
        // SAFETY: changes what `fork` does with an area that is mapped, and nothing in this process.
        if unsafe { libc::madvise(area, end - start, libc::MADV_DOFORK) } != 0 {
            let error = std::io::Error::last_os_error();
            return Err(format!("the kernel keeps memory from copies: {error}"));
        }
    }
    Ok(())
}

#[cfg(not(all(feature = "v8", target_os = "linux")))]
#[expect(clippy::unnecessary_wraps, reason = "on V8 it can fail")]
pub(super) fn give_memory_to_copies() -> Result<(), String> {
    Ok(())
}

/// The areas of a `smaps` whose flags have `dc`, "do not copy on fork".
#[cfg(any(all(feature = "v8", target_os = "linux"), test))]
fn kept_from_copies(smaps: &str) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    let mut area = None;
    for line in smaps.lines() {
        if let Some(flags) = line.strip_prefix("VmFlags:") {
            let is_kept = flags.split_whitespace().any(|flag| flag == "dc");
            kept.extend(area.take().filter(|_| is_kept));
        } else if let Some(range) = range(line) {
            area = Some(range);
        }
    }
    kept
}

/// The addresses that an area's first line begins with.
#[cfg(any(all(feature = "v8", target_os = "linux"), test))]
fn range(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?))
}

/// Whether a copy made now would lack nothing.
///
/// # Errors
/// There are more threads than are known of: a copy would have their locks as they are, and nobody to open them.
#[cfg(target_os = "linux")]
pub(super) fn check() -> Result<(), String> {
    let status = std::fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat cannot be read: {error}"))?;
    match threads(&status) {
        Some(THREADS) => Ok(()),
        Some(threads) => Err(format!("it has {threads} threads instead of {THREADS}")),
        None => Err("/proc/self/stat does not say how many threads it has".to_owned()),
    }
}

/// How many threads a `stat` counts: its 20th field, 18th behind the program's name, which may hold anything.
#[cfg(target_os = "linux")]
fn threads(status: &str) -> Option<usize> {
    let (_, fields) = status.rsplit_once(") ")?;
    fields.split(' ').nth(17)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn check() -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::kept_from_copies;

    #[test]
    fn areas_are_found_by_their_flags() {
        let smaps = "\
1000-3000 rw-p 00000000 00:00 0                [heap]
Rss:                   4 kB
VmFlags: rd wr mr mw me ac sd
7f00000000-7f00040000 rw-p 00000000 00:00 0
Size:                256 kB
VmFlags: rd wr mr mw me dc ac sd
7f00040000-7f00041000 r-xp 00000000 08:01 42   /lib/dc
VmFlags: rd ex dcx sd
";
        assert_eq!(kept_from_copies(smaps), [(0x7f_0000_0000, 0x7f_0004_0000)]);
        assert_eq!(kept_from_copies("VmFlags: dc"), []);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_are_counted_whatever_the_program_is_called() {
        let status = "7 (a) b) 1 S) S 1 7 7 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 2 0 100 0 0";
        assert_eq!(super::threads(status), Some(2));
        assert_eq!(super::threads("7 (a) S 1"), None);
    }
}
