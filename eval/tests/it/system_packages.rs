//! `scripts/install-system-packages.sh` on systems with each package manager and with none. The
//! package managers are fakes that record their calls.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

/// A system, the requested packages, and the expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    system: String,
    /// Package manager of the system, if any.
    #[serde(default)]
    manager: Option<String>,
    /// Programs that the system has.
    #[serde(default)]
    there: Vec<String>,
    /// Programs that the package manager installs.
    #[serde(default)]
    brings: Vec<String>,
    /// User who runs the script, if not root, and whether that user can use `sudo`.
    #[serde(default)]
    user: Option<User>,
    packages: Vec<String>,
    code: i32,
    /// Expected calls of the package manager, including a preceding `sudo` and the value of
    /// `DEBIAN_FRONTEND`.
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
fn installs_with_available_package_manager() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("system_packages.yaml")).unwrap();
    for row in rows {
        let folder = tempfile::tempdir().unwrap();
        let (code, calls, stderr) = run(&row, &folder);
        assert_eq!(code, Some(row.code), "{}: {stderr}", row.system);
        assert_eq!(calls, row.calls, "{}", row.system);
        assert_eq!(stderr.trim_end(), row.stderr.trim_end(), "{}", row.system);
    }
}

/// Runs the script on a system whose path contains only fakes.
fn run(row: &Row, folder: &TempDir) -> (Option<i32>, Vec<String>, String) {
    let at = folder.path();
    let log = at.join("calls");
    let bin = at.join("bin");
    fs::create_dir(&bin).unwrap();
    let root = if row.user.is_some() { 1000 } else { 0 };
    fake(&bin, "id", &format!("echo {root}"));
    fake(&bin, "env", "exec /usr/bin/env \"$@\"");
    // The fake compiler finds the header if the file `simde` exists.
    let header = at.join("simde");
    fake(&bin, "cc", &format!("test -e {}", header.display()));
    for program in &row.there {
        put(at, program);
    }
    if let Some(manager) = &row.manager {
        // The fake package manager writes each program that it installs.
        let brought = row.brings.iter().map(|program| match program.as_str() {
            "simde" => format!(": > {}\n", header.display()),
            program => format!(
                "printf '#!/bin/sh\\n' > {0}; /bin/chmod +x {0}\n",
                bin.join(program).display()
            ),
        });
        let brought: String = brought.collect();
        let record = format!(
            "echo \"${{AS-}}${{DEBIAN_FRONTEND:+$DEBIAN_FRONTEND }}{manager} $*\" >> {}\n{brought}",
            log.display()
        );
        fake(&bin, manager, &record);
    }
    if row.user == Some(User::WithSudo) {
        // The real one also removes most variables.
        fake(
            &bin,
            "sudo",
            "unset DEBIAN_FRONTEND\nAS=\"sudo \" exec \"$@\"",
        );
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

/// Adds a program, or the header `simde`, to the system.
pub fn put(at: &Path, name: &str) {
    if name == "simde" {
        fs::write(at.join("simde"), "").unwrap();
    } else {
        fake(&at.join("bin"), name, ":");
    }
}

/// Writes an executable shell script.
pub fn fake(bin: &Path, name: &str, script: &str) {
    let path = bin.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}
