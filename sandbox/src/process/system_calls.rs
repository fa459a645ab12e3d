//! Table of the system calls that a confined process may make, and of the answers to others. The
//! filters (`filter.rs`), the documentation and the test that tries each call read this table.

use CallPolicy::{Allowed, Fatal, Missing, Server};
use Check::{Has, IsOne, IsOwnProcess, IsZero, LacksAll, Not, NotExecutable};

/// A system call in the table. Calls that are not in the table return `EPERM` or, if their number
/// is at least [`NEWER`], `ENOSYS`.
#[derive(Debug, Clone, Copy)]
pub struct SystemCall {
    /// Name in the kernel's tables.
    pub name: &'static str,
    /// Call number on this processor.
    pub number: i64,
    /// Whether the call is allowed, and how it fails otherwise.
    pub answer: CallPolicy,
    /// Purpose of the call, or reason for the answer.
    pub reason: &'static str,
}

/// Answer of the filters to a system call.
#[derive(Debug, Clone, Copy)]
pub enum CallPolicy {
    /// Allowed if the arguments pass, otherwise `EPERM`. A server applies the first list of checks,
    /// a worker both lists.
    Allowed(&'static [Check], &'static [Check]),
    /// Allowed in a server; `EPERM` in a worker.
    Server,
    /// Allowed if the engine is V8, otherwise `EPERM`.
    OnlyV8,
    /// Allowed if the engine generates machine code, otherwise `EPERM`.
    OnlyCompiler,
    /// `ENOSYS`; the C library has a fallback.
    Missing,
    /// The process ends, and its session reports the call.
    Fatal,
}

/// A condition on a call's argument. The first field is the argument's 0-based index.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The lower 32 bits are one of these values.
    IsOne(u8, &'static [u32]),
    /// The lower 32 bits are not this value.
    Not(u8, u32),
    /// All bits of the argument are zero.
    IsZero(u8),
    /// The argument has at least one of these bits.
    Has(u8, u32),
    /// The argument has none of these bits.
    LacksAll(u8, u32),
    /// The argument is the id of the calling process.
    IsOwnProcess(u8),
    /// The argument is a protection that does not make memory executable. Not checked if the engine
    /// generates machine code.
    NotExecutable(u8),
}

/// First call number that is too new for the table. This call and later ones return `ENOSYS`, as in
/// a kernel that lacks them, so that a newer C library falls back to older calls.
pub const NEWER: i64 = libc::SYS_set_mempolicy_home_node + 1;

/// Call numbers that the kernel exempts from filters, because its own probes use them. In other
/// code, they have no effect or end the process.
pub const EXEMPT_FROM_FILTERS: &[i64] = if cfg!(target_arch = "x86_64") {
    &[335, 336]
} else {
    &[]
};

/// Exit code for the first [`CallPolicy::Fatal`] call in the table. Later ones have the next codes.
const EXIT: i32 = 100;
/// Exit code for a fatal call through the interface of another processor.
const EXIT_FOREIGN: i32 = EXIT - 1;

/// Returns the exit code for a call number reported by the kernel; `None` represents the interface
/// of another processor.
pub(super) fn exit_code(number: Option<i64>) -> i32 {
    let place = number.and_then(|number| fatal().position(|call| call.number == number));
    place.map_or(EXIT_FOREIGN, |place| {
        EXIT + i32::try_from(place).unwrap_or(0)
    })
}

/// Returns the name of the fatal call that this exit code represents.
#[must_use]
pub fn fatal_call(exit_code: i32) -> Option<&'static str> {
    if exit_code == EXIT_FOREIGN {
        return Some("of another processor");
    }
    let place = usize::try_from(exit_code.checked_sub(EXIT)?).ok()?;
    fatal().nth(place).map(|call| call.name)
}

fn fatal() -> impl Iterator<Item = &'static SystemCall> {
    TABLE.iter().filter(|call| matches!(call.answer, Fatal))
}

const ANY: &[Check] = &[];

/// Rejects executable memory, which only V8 needs, and only if it compiles code.
const NEVER_EXECUTABLE: &[Check] = &[NotExecutable(2)];

const NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

macro_rules! table {
    ($($(#[$when:meta])* $number:ident => $answer:expr, $reason:literal;)*) => {
        &[$($(#[$when])* SystemCall {
            name: stringify!($number).split_at("SYS_".len()).1,
            number: libc::$number,
            answer: $answer,
            reason: $reason,
        },)*]
    };
}

const FREE: CallPolicy = Allowed(ANY, ANY);

/// All system calls with an explicit answer.
#[rustfmt::skip]
pub const TABLE: &[SystemCall] = table! {
    // Calls with argument checks come first, because the kernel does not cache their answers.
    SYS_mmap => Allowed(NEVER_EXECUTABLE, ANY), "memory, executable only if V8 compiles";
    SYS_mprotect => Allowed(NEVER_EXECUTABLE, ANY), "guard pages of stacks; compiled code of V8";
    SYS_fcntl => Allowed(&[IsOne(1, &[libc::F_DUPFD_CLOEXEC as u32, libc::F_GETFD as u32, libc::F_GETFL as u32])], ANY),
        "duplicates the session's socket; cannot set an owner, who would receive signals";
    SYS_rt_sigaction => Allowed(&[Not(0, libc::SIGSYS as u32)], ANY), "signal handlers, except for the signal that ends the process";
    SYS_prlimit64 => Allowed(&[IsZero(0), IsZero(2)], ANY), "reads the resource limits of the worker itself";
    SYS_clone => Allowed(&[LacksAll(0, NAMESPACES)], &[Has(0, libc::CLONE_THREAD as u32)]),
        "copies of a server; threads of a worker";
    SYS_prctl => Allowed(ANY, &[IsOne(0, &[libc::PR_SET_NAME as u32, libc::PR_SET_VMA as u32])]),
        "names of threads and memory; a server drops privileges with it";
    SYS_tgkill => Allowed(ANY, &[IsOwnProcess(0)]), "used by `abort`";

    SYS_read => FREE, "reads requests and the worker's own size";
    SYS_readv => FREE, "the same, with several buffers";
    SYS_pread64 => FREE, "reads the worker's own size";
    SYS_recvfrom => FREE, "receives requests";
    SYS_recvmsg => FREE, "receives a server's orders, with sockets";
    SYS_write => FREE, "sends replies";
    SYS_writev => FREE, "the same, with several buffers";
    SYS_sendto => FREE, "sends replies";
    SYS_shutdown => FREE, "ends a session";
    SYS_close => FREE, "closes unneeded descriptors";
    #[cfg(target_arch = "x86_64")]
    SYS_poll => FREE, "waits for requests";
    SYS_ppoll => FREE, "waits for requests";

    SYS_brk => FREE, "allocates memory";
    SYS_munmap => FREE, "frees memory";
    SYS_mremap => FREE, "resizes memory";
    SYS_madvise => FREE, "returns memory to the kernel";

    SYS_futex => FREE, "locks";
    SYS_set_robust_list => FREE, "thread start";
    SYS_set_tid_address => FREE, "start of a copy";
    SYS_rseq => FREE, "thread start; the C library requires it";
    SYS_sched_yield => FREE, "locks";
    SYS_sched_getaffinity => FREE, "number of processors";
    SYS_getpid => FREE, "used by `abort`";
    SYS_gettid => FREE, "used by `abort`; clock of a thread";
    SYS_exit => FREE, "thread end";
    SYS_exit_group => FREE, "process end";

    SYS_rt_sigprocmask => FREE, "thread start";
    SYS_rt_sigreturn => FREE, "return from a signal handler";
    SYS_sigaltstack => FREE, "thread start: the stack on which an overflow is reported";
    SYS_restart_syscall => FREE, "the kernel uses it to continue an interrupted call";

    SYS_clock_gettime => FREE, "clocks, CPU time";
    SYS_clock_getres => FREE, "clocks";
    SYS_clock_nanosleep => FREE, "waiting";
    SYS_nanosleep => FREE, "waiting";
    SYS_gettimeofday => FREE, "clocks";
    #[cfg(target_arch = "x86_64")]
    SYS_time => FREE, "clocks";
    SYS_getrandom => FREE, "random numbers";

    SYS_membarrier => CallPolicy::OnlyV8, "memory order between threads";
    SYS_getrusage => CallPolicy::OnlyV8, "its own CPU time";
    SYS_pkey_alloc => CallPolicy::OnlyCompiler, "memory protection keys for compiled code";
    SYS_pkey_free => CallPolicy::OnlyCompiler, "memory protection keys for compiled code";
    SYS_pkey_mprotect => CallPolicy::OnlyCompiler, "memory protection keys for compiled code";

    SYS_openat => Server, "file with a copy's own size, opened before the copy loses access to files";
    SYS_wait4 => Server, "exit status of copies";
    SYS_kill => Server, "ends copies";
    SYS_seccomp => Server, "installs the worker's own filter";
    SYS_landlock_create_ruleset => Server, "drops access to files and the network";
    SYS_landlock_restrict_self => Server, "drops access to files and the network";

    SYS_clone3 => Missing, "falls back to `clone`, whose flags a filter can check";
    SYS_statx => Missing, "only reads a file's size before reading the file, which is not required";
    SYS_faccessat2 => Missing, "only checks access to files, which is not required";
    SYS_openat2 => Missing, "falls back to `openat`";
    SYS_close_range => Missing, "falls back to `close`";
    SYS_epoll_pwait2 => Missing, "falls back to `poll`";
    SYS_preadv2 => Missing, "falls back to `readv`";
    SYS_pwritev2 => Missing, "falls back to `writev`";
    SYS_futex_waitv => Missing, "falls back to `futex`";
    SYS_copy_file_range => Missing, "falls back to `read` and `write`";

    SYS_ptrace => Fatal, "takes over other processes";
    SYS_process_vm_readv => Fatal, "reads other processes";
    SYS_process_vm_writev => Fatal, "writes into other processes";
    SYS_kcmp => Fatal, "compares other processes";
    SYS_process_madvise => Fatal, "changes other processes";
    SYS_process_mrelease => Fatal, "changes other processes";
    SYS_pidfd_getfd => Fatal, "takes descriptors of other processes";
    SYS_pidfd_send_signal => Fatal, "signals other processes";
    SYS_move_pages => Fatal, "changes other processes";
    SYS_migrate_pages => Fatal, "changes other processes";
    SYS_execve => Fatal, "starts programs";
    SYS_execveat => Fatal, "starts programs";
    SYS_unshare => Fatal, "creates namespaces";
    SYS_setns => Fatal, "enters namespaces";
    SYS_mount => Fatal, "changes mounts";
    SYS_umount2 => Fatal, "changes mounts";
    SYS_pivot_root => Fatal, "changes mounts";
    SYS_chroot => Fatal, "changes mounts";
    SYS_move_mount => Fatal, "changes mounts";
    SYS_open_tree => Fatal, "changes mounts";
    SYS_mount_setattr => Fatal, "changes mounts";
    SYS_fsopen => Fatal, "changes mounts";
    SYS_fsconfig => Fatal, "changes mounts";
    SYS_fsmount => Fatal, "changes mounts";
    SYS_fspick => Fatal, "changes mounts";
    SYS_swapon => Fatal, "changes the machine";
    SYS_swapoff => Fatal, "changes the machine";
    SYS_reboot => Fatal, "changes the machine";
    SYS_sethostname => Fatal, "changes the machine";
    SYS_setdomainname => Fatal, "changes the machine";
    SYS_settimeofday => Fatal, "changes the machine's clock";
    SYS_clock_settime => Fatal, "changes the machine's clock";
    SYS_adjtimex => Fatal, "changes the machine's clock";
    SYS_clock_adjtime => Fatal, "changes the machine's clock";
    SYS_acct => Fatal, "changes the machine";
    SYS_quotactl => Fatal, "changes the machine";
    SYS_syslog => Fatal, "reads the kernel's log";
    SYS_kexec_load => Fatal, "replaces the kernel";
    #[cfg(target_arch = "x86_64")]
    SYS_kexec_file_load => Fatal, "replaces the kernel";
    SYS_init_module => Fatal, "changes the kernel";
    SYS_finit_module => Fatal, "changes the kernel";
    SYS_delete_module => Fatal, "changes the kernel";
    SYS_bpf => Fatal, "runs programs in the kernel";
    SYS_perf_event_open => Fatal, "measures other processes";
    SYS_userfaultfd => Fatal, "common in attacks on the kernel";
    SYS_io_uring_setup => Fatal, "makes system calls that filters cannot see";
    SYS_io_uring_enter => Fatal, "makes system calls that filters cannot see";
    SYS_io_uring_register => Fatal, "makes system calls that filters cannot see";
    SYS_add_key => Fatal, "accesses keys in the kernel";
    SYS_request_key => Fatal, "accesses keys in the kernel";
    SYS_keyctl => Fatal, "accesses keys in the kernel";
    SYS_name_to_handle_at => Fatal, "opens files without their paths";
    SYS_open_by_handle_at => Fatal, "opens files without their paths";
    SYS_fanotify_init => Fatal, "watches files of other processes";
    SYS_fanotify_mark => Fatal, "watches files of other processes";
    SYS_personality => Fatal, "makes all memory executable";
    SYS_setuid => Fatal, "becomes another user";
    SYS_setgid => Fatal, "becomes another user";
    SYS_setreuid => Fatal, "becomes another user";
    SYS_setregid => Fatal, "becomes another user";
    SYS_setresuid => Fatal, "becomes another user";
    SYS_setresgid => Fatal, "becomes another user";
    SYS_setfsuid => Fatal, "becomes another user";
    SYS_setfsgid => Fatal, "becomes another user";
    SYS_setgroups => Fatal, "becomes another user";
    #[cfg(target_arch = "x86_64")]
    SYS_iopl => Fatal, "accesses devices";
    #[cfg(target_arch = "x86_64")]
    SYS_ioperm => Fatal, "accesses devices";
    #[cfg(target_arch = "x86_64")]
    SYS_modify_ldt => Fatal, "common in attacks on the kernel";
};
