//! Makes system calls from inside a confined process.

#![allow(
    unsafe_code,
    reason = "a system call with any arguments is a C interface"
)]

use std::io::BufRead as _;

/// For each line of the standard input makes one system call in a process of its own, and prints how that ended.
///
/// A line holds `confined`, `jitless` (the same, for an engine that does not compile) or `free`, the number of the call, and its arguments; `self` is the process's own number. The
/// answer is `error N`, `done`, `exit N` or `signal N`.
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
        // Past the codes that a confined process ends with, if it is to.
        // SAFETY: ends the process.
        unsafe { libc::_exit(if error == 0 { 255 } else { error }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child, whose status there is a place for.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    if libc::WIFSIGNALED(status) {
        return format!("signal {}", libc::WTERMSIG(status));
    }
    match libc::WEXITSTATUS(status) {
        255 => "done".to_owned(),
        // Error numbers of what is tried are below the codes of what ends a process.
        error if error < 99 => format!("error {error}"),
        code => format!("exit {code}"),
    }
}

/// The error number of the call, or 0.
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
    let number = numbers.next().expect("the number of a call");
    let mut argument = || numbers.next().unwrap_or(-1);
    let [first, second, third, fourth, fifth, sixth] = [(); 6].map(|()| argument());
    // SAFETY: what it breaks is this process, which ends next.
    let result = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if result != -1 {
        return 0;
    }
    let error = std::io::Error::last_os_error();
    error.raw_os_error().unwrap_or(0)
}

/// Has this process, and those that it is copied into, make a fatal system call at the signal USR1.
pub fn misbehave_when_asked() {
    extern "C" fn misbehave(_: libc::c_int) {
        // SAFETY: what it would do is ask to be traced.
        unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0) };
    }
    // SAFETY: the handler does nothing but make a system call.
    unsafe { libc::signal(libc::SIGUSR1, misbehave as *const () as libc::sighandler_t) };
}
