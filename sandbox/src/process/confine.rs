//! Drops everything that a worker does not need: files, sockets, processes, privileges.
//!
//! Confinement has two steps: a forking server performs the first, each of its forks the second.
//! The server drops as much as possible, because every fork pays for the second step.

#[cfg(target_os = "linux")]
pub(super) use linux::{close_descriptors, confine_server, confine_worker, leave_namespaces};

/// Features that full confinement requires but that the kernel lacks.
pub(super) type MissingFeatures = Vec<&'static str>;

/// Permanently prevents what a worker does not need: opening files and sockets, starting processes,
/// and using privileges. Applies to the calling thread and to threads that it starts later. Returns
/// a description of the missing kernel features, or `None`. `jitless` has the meaning of
/// [`WorkerCommand::jitless`](crate::WorkerCommand::jitless).
///
/// # Errors
/// Returns an error if a step that the kernel supports fails.
pub fn confine(jitless: bool) -> Result<Option<String>, String> {
    let lacks = [confine_server(jitless)?, confine_worker()?].concat();
    Ok(describe(&lacks))
}

/// Combines the results of both steps for the session. With `strict`, missing features are an
/// error.
///
/// # Errors
/// Returns the failure or, with `strict`, the missing features.
pub(super) fn confined(
    strict: bool,
    steps: [Result<MissingFeatures, String>; 2],
) -> Result<Option<String>, String> {
    let [server, worker] = steps;
    match describe(&[server?, worker?].concat()) {
        Some(lacks) if strict => Err(lacks),
        lacks => Ok(lacks),
    }
}

fn describe(lacks: &[&str]) -> Option<String> {
    let mut lacks = lacks.to_vec();
    lacks.dedup();
    match lacks[..] {
        [] => None,
        [NOTHING, ..] => Some(NOTHING.to_owned()),
        _ => Some(format!("the kernel lacks {}", lacks.join(" and "))),
    }
}

/// Reported as the missing feature on systems other than Linux.
const NOTHING: &str = "this system has neither Landlock nor seccomp";

#[cfg(not(target_os = "linux"))]
pub(super) fn confine_server(_jitless: bool) -> Result<MissingFeatures, String> {
    Ok(vec![NOTHING])
}

#[cfg(not(target_os = "linux"))]
pub(super) fn confine_worker() -> Result<MissingFeatures, String> {
    Ok(MissingFeatures::new())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn close_descriptors() {}

#[cfg(not(target_os = "linux"))]
pub(super) fn leave_namespaces() {}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, unshare_unsafe,
    };

    use super::MissingFeatures;
    use crate::COMPILES;
    use crate::process::{MAX_SESSIONS, filter};

    /// Maximum open descriptors: two for each session's socket, and some spare.
    const DESCRIPTORS: u64 = 2 * MAX_SESSIONS as u64 + 32;

    /// Leaves the system's namespaces if users may do so. Afterward, the process has no network,
    /// and its user has no capabilities outside the new namespaces. File permissions do not change,
    /// because the kernel still checks them for the original user.
    ///
    /// Must be called in a single-threaded process; its copies share the new namespaces.
    pub fn leave_namespaces() {
        let new = UnshareFlags::NEWUSER | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
        // The other steps suffice for full confinement, so missing user namespaces are not
        // reported. SAFETY: nothing in this process relies on the namespaces that it leaves.
        let _ = unsafe { unshare_unsafe(new) };
    }

    /// Drops all access that neither a server nor its copies need. The server can still open files,
    /// and start and end processes.
    pub fn confine_server(jitless: bool) -> Result<MissingFeatures, String> {
        limit_resources();
        // SAFETY: sets a flag of this process.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err("the kernel rejects no_new_privs".to_owned());
        }
        drop_capabilities().map_err(|error| format!("capabilities: {error}"))?;
        // The engine and the clock read the time zone on first use, when files are no longer
        // accessible.
        // SAFETY: reads the time zone of the process. Its other thread, if any, only waits.
        unsafe { tzset() };
        lacking_seccomp(filter::restrict_server(COMPILES && !jitless))
    }

    /// Drops the remaining access in a worker.
    pub fn confine_worker() -> Result<MissingFeatures, String> {
        let mut lacks = match landlock() {
            Ok(RulesetStatus::FullyEnforced) => Vec::new(),
            Ok(RulesetStatus::PartiallyEnforced) => vec!["all of Landlock"],
            Ok(RulesetStatus::NotEnforced) | Err(_) => vec!["Landlock"],
        };
        lacks.extend(lacking_seccomp(filter::restrict_worker())?);
        Ok(lacks)
    }

    fn lacking_seccomp(
        restricted: Result<(), seccompiler::Error>,
    ) -> Result<MissingFeatures, String> {
        match restricted {
            Ok(()) => Ok(Vec::new()),
            // A kernel built without seccomp or its filter programs rejects the call.
            Err(seccompiler::Error::Seccomp(error))
                if [Some(libc::ENOSYS), Some(libc::EINVAL)].contains(&error.raw_os_error()) =>
            {
                Ok(vec!["seccomp"])
            }
            Err(error) => Err(format!("seccomp: {error}")),
        }
    }

    fn drop_capabilities() -> rustix::io::Result<()> {
        for capability in CapabilitySet::all().iter() {
            // Fails for a process without capabilities, and for capabilities unknown to older
            // kernels: in both cases, there is nothing to drop.
            let _ = remove_capability_from_bounding_set(capability);
        }
        // Kernels before 4.3 do not have an ambient set.
        let _ = clear_ambient_capability_set();
        let none = CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        };
        set_capabilities(None, none)
    }

    unsafe extern "C" {
        fn tzset();
    }

    /// Closes every descriptor except the three standard streams. Must be called before the process
    /// opens any others.
    pub fn close_descriptors() {
        // SAFETY: closes descriptors that nothing in this process uses.
        unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    }

    /// Forbids core dumps and writing to files, and limits descriptors. Does not limit the address
    /// space, because the engine's parser crashes when an allocation fails.
    fn limit_resources() {
        for (resource, limit) in [
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_FSIZE, 0),
            (libc::RLIMIT_NOFILE, DESCRIPTORS),
        ] {
            let limit = libc::rlimit {
                rlim_cur: limit,
                rlim_max: limit,
            };
            // SAFETY: the kernel only reads `limit`.
            unsafe { libc::setrlimit(resource, &raw const limit) };
        }
    }

    fn landlock() -> Result<RulesetStatus, landlock::RulesetError> {
        let abi = ABI::V4;
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .create()?
            .restrict_self()?;
        Ok(status.ruleset)
    }
}
