//! Measures the cost of a command: wall-clock time, CPU time with and without its children, and
//! memory.
#![expect(unsafe_code, reason = "reads process times with system calls")]

use std::fs;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Cost of one run of a command.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of the process itself, with the resolution of the kernel's clock tick (10 ms).
    pub own_cpu: Duration,
    /// CPU time of the process and all its descendants.
    pub cpu: Duration,
    /// Sum of the peak resident sizes of the process and its descendants in bytes; 0 unless memory
    /// was sampled.
    pub peak_bytes: u64,
    /// Peak resident size of the process itself in bytes; 0 unless memory was sampled.
    pub own_peak_bytes: u64,
}

/// Reparents orphans of measured processes to this process, so that their CPU time is counted.
/// Called once at startup.
pub fn adopt_orphans() {
    // SAFETY: only sets a flag of this process.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Raises the soft limit of open files to the hard limit.
pub fn raise_fd_limit() {
    // SAFETY: the calls only read and write the struct.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

/// Runs a command to completion. With `watch`, samples the memory of its processes every 5 ms.
///
/// # Errors
/// Returns an error if the command cannot be started or fails.
pub fn measure(command: &mut Command, watch: bool) -> io::Result<Cost> {
    let before = children_cpu();
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || stderr.map(io::read_to_string));
    let mut peak = Peak::default();
    while watch && !has_ended(&child) {
        peak.sample_memory(child.id());
        std::thread::sleep(Duration::from_millis(5));
    }
    await_end(&child);
    let wall = began.elapsed();
    let own_cpu = own_cpu(child.id());
    let status = child.wait()?;
    let said = reader
        .join()
        .ok()
        .flatten()
        .transpose()?
        .unwrap_or_default();
    reap_orphans();
    if !status.success() {
        return Err(io::Error::other(format!(
            "{command:?} ended with {status}: {said}"
        )));
    }
    Ok(Cost {
        wall,
        own_cpu,
        cpu: children_cpu().saturating_sub(before),
        peak_bytes: peak.bytes(),
        own_peak_bytes: peak.0.get(&child.id()).copied().unwrap_or_default(),
    })
}

/// Peak resident sizes in bytes, by process id.
#[derive(Default)]
struct Peak(std::collections::HashMap<u32, u64>);

impl Peak {
    fn sample_memory(&mut self, root: u32) {
        for pid in tree(root) {
            if let Some(bytes) = status_bytes(pid, "VmHWM:") {
                let known = self.0.entry(pid).or_default();
                *known = bytes.max(*known);
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.0.values().sum()
    }
}

/// Returns the memory of a process and its descendants in bytes: their proportional set sizes,
/// which count pages shared among them only once in total, plus their page tables.
pub fn tree_bytes(root: u32) -> u64 {
    let of = |pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        let tables = status_bytes(pid, "VmPTE:").unwrap_or_default();
        Some(kilobytes(&text, "Pss:")? + tables)
    };
    tree(root).into_iter().filter_map(of).sum()
}

/// Returns the ids of a process and all its descendants.
pub fn tree(root: u32) -> Vec<u32> {
    let mut pids = vec![root];
    let mut next = 0;
    while let Some(pid) = pids.get(next) {
        let tasks = fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            let children = children.split_whitespace();
            pids.extend(children.filter_map(|pid| pid.parse::<u32>().ok()));
        }
        next += 1;
    }
    pids
}

fn status_bytes(pid: u32, field: &str) -> Option<u64> {
    kilobytes(
        &fs::read_to_string(format!("/proc/{pid}/status")).ok()?,
        field,
    )
}

fn kilobytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the CPU time of a process without its children. The process may have exited, but must
/// not have been reaped.
pub fn own_cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The second field, a name in parentheses, may contain spaces and parentheses.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    // SAFETY: only reads a constant of the system.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Duration::from_secs_f64(ticks as f64 / per_second as f64)
}

/// Returns the CPU time of all reaped children and their descendants.
fn children_cpu() -> Duration {
    // SAFETY: all zeros is a valid value, and the system fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec.unsigned_abs())
            + Duration::from_micros(value.tv_usec.unsigned_abs())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn has_ended(child: &Child) -> bool {
    wait_without_reaping(child, libc::WNOHANG)
}

fn await_end(child: &Child) {
    wait_without_reaping(child, 0);
}

/// Whether a child has exited. Leaves it a zombie, so that its times can be read.
fn wait_without_reaping(child: &Child, flags: i32) -> bool {
    // SAFETY: all zeros is a valid value, the system fills it in, and the child is not reaped.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOWAIT | flags;
        libc::waitid(libc::P_PID, child.id(), &raw mut info, options) == 0 && info.si_pid() != 0
    }
}

/// Waits up to two seconds for descendants that outlive the measured process, so that their CPU
/// time is counted.
fn reap_orphans() {
    let patience = Instant::now() + Duration::from_secs(2);
    loop {
        // SAFETY: all children started by this process have been waited for, so only orphans are
        // reaped, whose status nobody else requests.
        let pid = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
        match pid {
            0 if Instant::now() < patience => std::thread::sleep(Duration::from_millis(1)),
            0 | -1 => return,
            _ => {}
        }
    }
}
