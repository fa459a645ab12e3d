//! Tries operations in a confined process. Most of them should fail.

use std::fs::{File, Permissions};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// Confines this process, tries typical operations, and prints for each whether it succeeded. The
/// second argument is a file that some operations use.
pub fn probe() {
    let victim = std::env::args_os().nth(2).expect("a file is given");
    let victim = Path::new(&victim);
    println!("lacks {:?}", sandbox::confine(false));
    let thread = std::thread::spawn(|| 1 + 1).join();
    for (attempt, allowed) in [
        ("read a file", File::open("/etc/passwd").is_ok()),
        ("write a file", File::create("/tmp/sandbox-probe").is_ok()),
        ("remove a file", std::fs::remove_file(victim).is_ok()),
        (
            "change a file's mode",
            std::fs::set_permissions(victim, Permissions::from_mode(0o777)).is_ok(),
        ),
        (
            "change a file's owner",
            std::os::unix::fs::lchown(victim, Some(1), None).is_ok(),
        ),
        ("learn that a file is there", victim.exists()),
        (
            "follow a link",
            std::fs::read_link("/proc/self/exe").is_ok(),
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
