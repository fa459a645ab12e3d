//! A bare worker process, for the tests of this crate; with `probe`, what a confined process can still do.

#![allow(
    clippy::print_stdout,
    reason = "the probe's result is for the test that reads it"
)]

use std::fs::File;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::Command;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("probe") {
        probe();
    } else {
        sandbox::worker_main();
    }
}

fn probe() {
    println!("lacks {:?}", sandbox::confine());
    let thread = std::thread::spawn(|| 1 + 1).join();
    for (attempt, allowed) in [
        ("read a file", File::open("/etc/passwd").is_ok()),
        ("write a file", File::create("/tmp/sandbox-probe").is_ok()),
        (
            "remove a file",
            std::fs::remove_file("/tmp/sandbox-probe-victim").is_ok(),
        ),
        ("list a folder", std::fs::read_dir("/").is_ok()),
        (
            "read the environment of the parent",
            File::open("/proc/1/environ").is_ok(),
        ),
        (
            "start a process",
            Command::new("/bin/true").status().is_ok(),
        ),
        ("listen", TcpListener::bind("127.0.0.1:0").is_ok()),
        (
            "connect",
            TcpStream::connect("127.0.0.1:1").is_err_and(|e| e.raw_os_error() == Some(111)),
        ),
        ("send datagrams", UdpSocket::bind("127.0.0.1:0").is_ok()),
        ("start a thread", matches!(thread, Ok(2))),
    ] {
        println!("{attempt}: {}", if allowed { "yes" } else { "no" });
    }
}
