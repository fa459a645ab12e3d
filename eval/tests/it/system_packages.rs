//! `scripts/install-system-packages.sh` on systems with each package manager and with none: all of them fakes that record how they
//! were called.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

/// A system, what is asked of it, and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    system: String,
    /// The package manager; none if there is none.
    #[serde(default)]
    manager: Option<String>,
    /// Programs that are there.
    #[serde(default)]
    there: Vec<String>,
    /// Programs that the package manager brings.
    #[serde(default)]
    brings: Vec<String>,
    /// Whether whoever runs it is no root, and whether such a one has `sudo`.
    #[serde(default)]
    user: Option<User>,
    packages: Vec<String>,
    code: i32,
    /// How the manager was called, with `sudo` before it where that was used.
    #[serde(default)]
    calls: Vec<String>,
    #[serde(default)]
    stderr: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum User {
    WithSudo,
    WithoutSudo,
}

#[test]
fn packages_come_from_the_manager_that_there_is() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("system_packages.yaml")).unwrap();
    for row in rows {
        let folder = tempfile::tempdir().unwrap();
        let (code, calls, stderr) = run(&row, &folder);
        assert_eq!(code, Some(row.code), "{}: {stderr}", row.system);
        assert_eq!(calls, row.calls, "{}", row.system);
        assert_eq!(stderr.trim_end(), row.stderr.trim_end(), "{}", row.system);
    }
}

/// What the script did on the system, which has nothing on its path but fakes.
fn run(row: &Row, folder: &TempDir) -> (Option<i32>, Vec<String>, String) {
    let at = folder.path();
    let log = at.join("calls");
    let bin = at.join("bin");
    fs::create_dir(&bin).unwrap();
    let root = if row.user.is_some() { 1000 } else { 0 };
    fake(&bin, "id", &format!("echo {root}"));
    // The compiler, as far as the script uses it, finds a header if the file is there.
    let header = at.join("simde");
    fake(&bin, "cc", &format!("test -e {}", header.display()));
    for program in &row.there {
        put(at, program);
    }
    if let Some(manager) = &row.manager {
        // The fake has no programs but these to copy with, so they are prepared beside it.
        let brought = row.brings.iter().map(|program| match program.as_str() {
            "simde" => format!(": > {}\n", header.display()),
            program => format!(
                "printf '#!/bin/sh\\n' > {0}; /bin/chmod +x {0}\n",
                bin.join(program).display()
            ),
        });
        let brought: String = brought.collect();
        let record = format!(
            "echo \"${{AS-}}{manager} $*\" >> {}\n{brought}",
            log.display()
        );
        fake(&bin, manager, &record);
    }
    if row.user == Some(User::WithSudo) {
        fake(&bin, "sudo", "AS=\"sudo \" exec \"$@\"");
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/install-system-packages.sh");
    let ran = Command::new("/bin/sh")
        .arg(script)
        .args(&row.packages)
        .env_clear()
        .env("PATH", &bin)
        .output()
        .unwrap();
    let calls = fs::read_to_string(&log).unwrap_or_default();
    (
        ran.status.code(),
        calls.lines().map(str::to_owned).collect(),
        String::from_utf8(ran.stderr).unwrap(),
    )
}

/// What a system has: a program, or the header `simde`.
pub fn put(at: &Path, name: &str) {
    if name == "simde" {
        fs::write(at.join("simde"), "").unwrap();
    } else {
        fake(&at.join("bin"), name, ":");
    }
}

/// A program of this script.
pub fn fake(bin: &Path, name: &str, script: &str) {
    let path = bin.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}
