//! Checks whether this process, including its isolate, can be copied by `fork`.

/// Number of threads of a server: the thread that is copied, and one that waits for it without
/// holding a lock.
#[cfg(target_os = "linux")]
const THREADS: usize = 2;

/// Whether this system supports copies of this build of the engine.
///
/// V8 excludes its heap from copies if the system supports it (`MADV_DONTFORK`), and only Linux
/// reports the excluded areas.
pub(super) const AVAILABLE: bool = cfg!(any(not(feature = "v8"), target_os = "linux"));

/// Makes copies include the memory that V8 excludes from them. Must be called when the isolate is
/// ready and will no longer run code in this process.
///
/// V8 excludes all its mappings (`V8_ENABLE_PRIVATE_MAPPING_FORK_OPTIMIZATION`), to save page
/// tables in embedders that fork only to start other programs. The mappings are ordinary private
/// memory, which `fork` can duplicate like any other. Only V8 excludes memory in this process.
/// Memory that V8 maps later in a copy stays excluded, because copies are never copied.
///
/// # Errors
/// Returns an error if the kernel does not report the areas or does not change them.
#[cfg(all(feature = "v8", target_os = "linux"))]
pub(super) fn include_heap_in_copies() -> Result<(), String> {
    use std::ffi::c_void;
    use std::ptr;

    let areas = std::fs::read_to_string("/proc/self/smaps")
        .map_err(|error| format!("cannot read /proc/self/smaps: {error}"))?;
    for (start, end) in areas_excluded_from_copies(&areas) {
        let area = ptr::with_exposed_provenance_mut::<c_void>(start);
        // SAFETY: only changes how `fork` treats a mapped area.
        if unsafe { libc::madvise(area, end - start, libc::MADV_DOFORK) } != 0 {
            let error = std::io::Error::last_os_error();
            return Err(format!(
                "the kernel does not include memory in copies: {error}"
            ));
        }
    }
    Ok(())
}

#[cfg(not(all(feature = "v8", target_os = "linux")))]
#[expect(clippy::unnecessary_wraps, reason = "can fail with V8")]
pub(super) fn include_heap_in_copies() -> Result<(), String> {
    Ok(())
}

/// Returns the areas in `smaps` that have the flag `dc`, "do not copy on fork".
#[cfg(any(all(feature = "v8", target_os = "linux"), test))]
fn areas_excluded_from_copies(smaps: &str) -> Vec<(usize, usize)> {
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

/// Parses the address range at the start of an area's first line.
#[cfg(any(all(feature = "v8", target_os = "linux"), test))]
fn range(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?))
}

/// Checks that a copy of the process made now would be complete.
///
/// # Errors
/// Returns an error if there are unexpected threads: a copy would inherit their locks but not the
/// threads that release them.
#[cfg(target_os = "linux")]
pub(super) fn check() -> Result<(), String> {
    let status = std::fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("cannot read /proc/self/stat: {error}"))?;
    match threads(&status) {
        Some(THREADS) => Ok(()),
        Some(threads) => Err(format!("it has {threads} threads instead of {THREADS}")),
        None => Err("/proc/self/stat does not contain the number of threads".to_owned()),
    }
}

/// Parses the number of threads from `/proc/self/stat`: the 18th field after the program's name,
/// which may contain any character.
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
    use super::areas_excluded_from_copies;

    #[test]
    fn finds_areas_excluded_from_copies() {
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
        assert_eq!(
            areas_excluded_from_copies(smaps),
            [(0x7f_0000_0000, 0x7f_0004_0000)]
        );
        assert_eq!(areas_excluded_from_copies("VmFlags: dc"), []);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn counts_threads_despite_program_name() {
        let status = "7 (a) b) 1 S) S 1 7 7 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 2 0 100 0 0";
        assert_eq!(super::threads(status), Some(2));
        assert_eq!(super::threads("7 (a) S 1"), None);
    }
}
