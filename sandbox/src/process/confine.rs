//! Gives up everything that a worker does not need: files, sockets, processes, privileges.
//!
//! In two steps: a server that forks takes the first, and each fork the second. The more the server gives up for all
//! of them, the shorter the second step.

#[cfg(target_os = "linux")]
pub(super) use linux::{as_server, as_worker, close_descriptors};

/// Features that the kernel lacks for full confinement.
pub(super) type Lacks = Vec<&'static str>;

/// Gives up everything that a worker does not need, for ever: new files, sockets, processes, privileges.
/// Holds for the calling thread and those that it starts later. Returns what the kernel lacks for it.
///
/// # Errors
/// A step that the kernel offers and that failed.
pub fn confine() -> Result<Option<String>, String> {
    let lacks = [as_server()?, as_worker()?].concat();
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
pub(super) fn as_server() -> Result<Lacks, String> {
    Ok(vec![NOTHING])
}

#[cfg(not(target_os = "linux"))]
pub(super) fn as_worker() -> Result<Lacks, String> {
    Ok(Lacks::new())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn close_descriptors() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;

    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch,
    };

    use super::Lacks;
    use crate::process::MAX_SESSIONS;

    /// Two for each session's socket, and some.
    const DESCRIPTORS: u64 = 2 * MAX_SESSIONS as u64 + 32;

    /// Gives up what neither a server nor its copies need: everything but opening files, and starting and ending
    /// processes.
    pub fn as_server() -> Result<Lacks, String> {
        limit_resources();
        // SAFETY: sets a flag of this process.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err("the kernel refuses no_new_privs".to_owned());
        }
        // The engine and the clock read it at their first use, when files are out of reach.
        // SAFETY: reads the time zone of the process, whose other thread, if there is one, only waits.
        unsafe { tzset() };
        lacking_seccomp(deny_to_server())
    }

    /// Gives up the rest.
    pub fn as_worker() -> Result<Lacks, String> {
        let mut lacks = match landlock() {
            Ok(RulesetStatus::FullyEnforced) => Vec::new(),
            Ok(RulesetStatus::PartiallyEnforced) => vec!["all of Landlock"],
            Ok(RulesetStatus::NotEnforced) | Err(_) => vec!["Landlock"],
        };
        lacks.extend(lacking_seccomp(deny_to_worker())?);
        Ok(lacks)
    }

    fn lacking_seccomp(denied: Result<(), String>) -> Result<Lacks, String> {
        match denied {
            Ok(()) => Ok(Vec::new()),
            Err(reason) if reason.contains("supported") => Ok(vec!["seccomp"]),
            Err(reason) => Err(format!("seccomp: {reason}")),
        }
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

    /// System calls that would open sockets, run programs or look into other processes fail with EPERM;
    /// `clone3` fails with ENOSYS, so that the C library starts threads by `clone`, whose flags can be seen.
    fn deny_to_server() -> Result<(), String> {
        let denied = [
            libc::SYS_openat2,
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept4,
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_unlinkat,
            libc::SYS_mkdirat,
            libc::SYS_linkat,
            libc::SYS_symlinkat,
            libc::SYS_renameat2,
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_chroot,
            libc::SYS_pivot_root,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_kexec_load,
            libc::SYS_reboot,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_getfd,
            libc::SYS_memfd_create,
            libc::SYS_memfd_secret,
            libc::SYS_tkill,
            libc::SYS_shmget,
            libc::SYS_msgget,
            libc::SYS_semget,
            libc::SYS_fchmodat,
            libc::SYS_fchownat,
            libc::SYS_truncate,
            libc::SYS_name_to_handle_at,
            libc::SYS_open_by_handle_at,
            libc::SYS_inotify_init1,
            libc::SYS_fanotify_init,
            libc::SYS_setuid,
            libc::SYS_setgid,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_fork,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_vfork,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_unlink,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_symlink,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_link,
        ];
        let rules = denied.into_iter().map(|call| (call, Vec::new())).collect();
        apply(rules, libc::EPERM)?;
        apply(
            BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
            libc::ENOSYS,
        )
    }

    /// System calls that would open files, start processes, or signal or limit others fail with EPERM.
    fn deny_to_worker() -> Result<(), String> {
        let no_thread = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(u64::try_from(libc::CLONE_THREAD).unwrap_or(0)),
            0,
        );
        let no_thread = no_thread.map_err(|error| error.to_string())?;
        let new_process = SeccompRule::new(vec![no_thread]).map_err(|error| error.to_string())?;
        let other_than = |process: u32| -> Result<Vec<SeccompRule>, String> {
            let other =
                SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, process.into());
            let other = other.map_err(|error| error.to_string())?;
            let rule = SeccompRule::new(vec![other]).map_err(|error| error.to_string())?;
            Ok(vec![rule])
        };
        let rules = BTreeMap::from([
            (libc::SYS_openat, Vec::new()),
            (libc::SYS_kill, Vec::new()),
            (libc::SYS_tgkill, other_than(std::process::id())?),
            (libc::SYS_rt_sigqueueinfo, Vec::new()),
            (libc::SYS_rt_tgsigqueueinfo, Vec::new()),
            // By the number 0, a process means itself.
            (libc::SYS_prlimit64, other_than(0)?),
            (libc::SYS_clone, vec![new_process]),
        ]);
        apply(rules, libc::EPERM)
    }

    fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<(), String> {
        let target = TargetArch::try_from(std::env::consts::ARCH)
            .map_err(|_| "this processor is not supported".to_owned())?;
        let error = u32::try_from(error).unwrap_or(1);
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(error),
            target,
        );
        let filter = filter.map_err(|error| error.to_string())?;
        let program: BpfProgram = filter
            .try_into()
            .map_err(|error: seccompiler::BackendError| error.to_string())?;
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())
    }
}
