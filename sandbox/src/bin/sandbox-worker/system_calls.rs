//! Makes system calls from inside a confined process.

#![allow(unsafe_code, reason = "raw system calls are a C interface")]

use std::io::BufRead as _;

/// Makes one system call per line of standard input, each in its own process, and prints the
/// outcome.
///
/// A line starts with `confined`, `jitless` (confined, for an engine that generates no machine
/// code) or `free` (not confined). The number of the call and its arguments follow; `self` stands
/// for the process id. The outcome is `error N`, `done`, `exit N` or `signal N`.
pub fn try_each() {
    for line in std::io::stdin().lock().lines() {
        println!("{}", try_one(&line.expect("a line")));
    }
}

fn try_one(line: &str) -> String {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let error = make(line);
        // SAFETY: ends the process. 255 is not an exit code of confined processes.
        unsafe { libc::_exit(if error == 0 { 255 } else { error }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child and writes its status to a valid location.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    if libc::WIFSIGNALED(status) {
        return format!("signal {}", libc::WTERMSIG(status));
    }
    match libc::WEXITSTATUS(status) {
        255 => "done".to_owned(),
        // The calls tried here return error numbers lower than the exit codes of fatal calls.
        error if error < 99 => format!("error {error}"),
        code => format!("exit {code}"),
    }
}

/// Makes the call and returns its error number, or 0.
fn make(line: &str) -> i32 {
    let mut words = line.split(' ');
    match words.next() {
        Some("free") => {}
        how => {
            sandbox::confine(how == Some("jitless")).expect("a kernel that confines");
        }
    }
    let mut numbers = words.map(|word| match word {
        "self" => libc::c_long::from(std::process::id().cast_signed()),
        number => number.parse().expect("a number"),
    });
    let number = numbers.next().expect("a system call's number");
    let mut argument = || numbers.next().unwrap_or(-1);
    let [first, second, third, fourth, fifth, sixth] = [(); 6].map(|()| argument());
    // SAFETY: the call can damage only this process, which ends next.
    let result = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if result != -1 {
        return 0;
    }
    let error = std::io::Error::last_os_error();
    error.raw_os_error().unwrap_or(0)
}

/// Makes this process, and any copy of it, issue a fatal system call on SIGUSR1.
pub fn misbehave_when_asked() {
    extern "C" fn misbehave(_: libc::c_int) {
        // SAFETY: if the call is allowed, it only requests that this process be traced.
        unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0) };
    }
    // SAFETY: the handler only makes a system call.
    unsafe { libc::signal(libc::SIGUSR1, misbehave as *const () as libc::sighandler_t) };
}
