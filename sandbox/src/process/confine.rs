//! Gives up everything that a worker does not need: files, sockets, processes, privileges.
//!
//! In two steps: a server that forks takes the first, and each fork the second. The more the server gives up for all
//! of them, the shorter the second step.

#[cfg(target_os = "linux")]
pub(super) use linux::{as_server, as_worker, close_descriptors, leave_namespaces};

/// Features that the kernel lacks for full confinement.
pub(super) type Lacks = Vec<&'static str>;

/// Gives up everything that a worker does not need, for ever: new files, sockets, processes, privileges.
/// Holds for the calling thread and those that it starts later. Returns what the kernel lacks for it.
/// `jitless` as in [`WorkerCommand`](crate::WorkerCommand).
///
/// # Errors
/// A step that the kernel offers and that failed.
pub fn confine(jitless: bool) -> Result<Option<String>, String> {
    let lacks = [as_server(jitless)?, as_worker()?].concat();
    Ok(describe(&lacks))
}

/// The result of both steps, as reported to the session. With `strict`, a kernel that lacks anything is an error.
///
/// # Errors
/// What failed, or what the kernel lacks.
pub(super) fn confined(
    strict: bool,
    steps: [Result<Lacks, String>; 2],
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

/// The message on a system that is not Linux.
const NOTHING: &str = "this system has neither Landlock nor seccomp";

#[cfg(not(target_os = "linux"))]
pub(super) fn as_server(_jitless: bool) -> Result<Lacks, String> {
    Ok(vec![NOTHING])
}

#[cfg(not(target_os = "linux"))]
pub(super) fn as_worker() -> Result<Lacks, String> {
    Ok(Lacks::new())
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

    use super::Lacks;
    use crate::COMPILES;
    use crate::process::{MAX_SESSIONS, filter};

    /// Two for each session's socket, and some.
    const DESCRIPTORS: u64 = 2 * MAX_SESSIONS as u64 + 32;

    /// Leaves the namespaces of the system, where it lets a user do so: then the process has no network, and is no
    /// user whose capabilities the system knows. Files are not the matter of this: to them the user stays the same.
    ///
    /// For a process with one thread only; its copies are in the same namespaces.
    pub fn leave_namespaces() {
        let new = UnshareFlags::NEWUSER | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
        // What the rest of confinement refuses does not depend on it, so a system without them lacks nothing.
        // SAFETY: nothing in this process relies on what it leaves.
        let _ = unsafe { unshare_unsafe(new) };
    }

    /// Gives up what neither a server nor its copies need: everything but opening files, and starting and ending
    /// processes.
    pub fn as_server(jitless: bool) -> Result<Lacks, String> {
        limit_resources();
        // SAFETY: sets a flag of this process.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err("the kernel refuses no_new_privs".to_owned());
        }
        drop_capabilities().map_err(|error| format!("capabilities: {error}"))?;
        // The engine and the clock read it at their first use, when files are out of reach.
        // SAFETY: reads the time zone of the process, whose other thread, if there is one, only waits.
        unsafe { tzset() };
        lacking_seccomp(filter::restrict_server(COMPILES && !jitless))
    }

    /// Gives up the rest.
    pub fn as_worker() -> Result<Lacks, String> {
        let mut lacks = match landlock() {
            Ok(RulesetStatus::FullyEnforced) => Vec::new(),
            Ok(RulesetStatus::PartiallyEnforced) => vec!["all of Landlock"],
            Ok(RulesetStatus::NotEnforced) | Err(_) => vec!["Landlock"],
        };
        lacks.extend(lacking_seccomp(filter::restrict_worker())?);
        Ok(lacks)
    }

    fn lacking_seccomp(restricted: Result<(), seccompiler::Error>) -> Result<Lacks, String> {
        match restricted {
            Ok(()) => Ok(Vec::new()),
            // A kernel that was built without it has no such call, or none with such programs.
            Err(seccompiler::Error::Seccomp(error))
                if [Some(libc::ENOSYS), Some(libc::EINVAL)].contains(&error.raw_os_error()) =>
            {
                Ok(vec!["seccomp"])
            }
            Err(error) => Err(format!("seccomp: {error}")),
        }
    }

    /// All of them, for ever.
    fn drop_capabilities() -> rustix::io::Result<()> {
        for capability in CapabilitySet::all().iter() {
            // Refused to who has none, and unknown to older kernels: both have it no more.
            let _ = remove_capability_from_bounding_set(capability);
        }
        // Unknown to kernels before 4.3, which have no such set.
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

    /// Closes every descriptor but the three standard streams. Only for a process that has opened none yet.
    pub fn close_descriptors() {
        // SAFETY: closes descriptors that nothing in this process uses.
        unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    }

    /// No core dumps, no files written, few descriptors. Address space is not limited: the engine's parser
    /// crashes when an allocation fails.
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
            // SAFETY: `limit` is a valid value.
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
