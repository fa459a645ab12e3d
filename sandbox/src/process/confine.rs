//! Gives up everything that a worker does not need: files, sockets, processes, privileges.

#[cfg(target_os = "linux")]
pub(super) use linux::close_descriptors;
#[cfg(target_os = "linux")]
pub use linux::confine;

/// Elsewhere than on Linux there is nothing to confine with.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn confine() -> Result<Option<String>, String> {
    Ok(Some(
        "this system has neither Landlock nor seccomp".to_owned(),
    ))
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

    /// Gives up everything that a worker does not need, for ever: new files, sockets, processes, privileges.
    /// Holds for the calling thread and those that it starts later. Gives what the kernel lacks for it.
    ///
    /// # Errors
    /// A step that the kernel offers and that failed.
    pub fn confine() -> Result<Option<String>, String> {
        limit_resources();
        // SAFETY: sets a flag of this process.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err("the kernel refuses no_new_privs".to_owned());
        }
        let mut lacks = Vec::new();
        // The engine and the clock read it at their first use, when files are out of reach.
        // SAFETY: reads the time zone of the process, which has one thread.
        unsafe { tzset() };
        match landlock() {
            Ok(RulesetStatus::FullyEnforced) => {}
            Ok(RulesetStatus::PartiallyEnforced) => lacks.push("all of Landlock"),
            Ok(RulesetStatus::NotEnforced) | Err(_) => lacks.push("Landlock"),
        }
        if let Err(reason) = seccomp() {
            if reason.contains("supported") {
                lacks.push("seccomp");
            } else {
                return Err(format!("seccomp: {reason}"));
            }
        }
        Ok((!lacks.is_empty()).then(|| format!("the kernel lacks {}", lacks.join(" and "))))
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
            (libc::RLIMIT_NOFILE, 64),
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

    /// System calls that would open files or sockets, start processes or look into others fail with EPERM;
    /// `clone3` fails with ENOSYS, so that the C library starts threads by `clone`, whose flags can be seen.
    fn seccomp() -> Result<(), String> {
        let denied = [
            libc::SYS_openat,
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
            libc::SYS_kill,
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
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            denied.into_iter().map(|call| (call, Vec::new())).collect();
        let no_thread = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(u64::try_from(libc::CLONE_THREAD).unwrap_or(0)),
            0,
        );
        let no_thread = no_thread.map_err(|error| error.to_string())?;
        let new_process = SeccompRule::new(vec![no_thread]).map_err(|error| error.to_string())?;
        rules.insert(libc::SYS_clone, vec![new_process]);
        apply(rules, libc::EPERM)?;
        apply(
            BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
            libc::ENOSYS,
        )
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
