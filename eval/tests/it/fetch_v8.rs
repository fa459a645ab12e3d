//! `scripts/fetch-v8.sh`: which downloads of the V8 library it accepts, tested with a fake curl,
//! and with the real one and local servers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::binary::Running;
use crate::quickstart::{TOOLS, link_tools, version};
use crate::system_packages::fake;

/// A download and its expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    /// Value of `RUSTY_V8_MIRROR`.
    #[serde(default)]
    mirror: Option<String>,
    /// Value of `RUSTY_V8_SHA256`.
    #[serde(default)]
    sum: Option<String>,
    /// Content of the archive that an earlier run left.
    #[serde(default)]
    left: Option<String>,
    /// Whether curl times out after it has written the file.
    #[serde(default)]
    breaks_off: bool,
    code: i32,
    /// URL that the script passes to curl; `None` if curl is not called.
    #[serde(default)]
    asks: Option<String>,
    #[serde(default)]
    stderr: String,
}

/// A download folder and the programs in the script's `PATH`.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        link_tools(&bin, &TOOLS);
        fake(&bin, "rustc", "echo 'host: x86_64-unknown-linux-gnu'");
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn archive(&self) -> PathBuf {
        let name = format!("v8-{}-x86_64-unknown-linux-gnu.a.gz", version());
        self.at("target").join(name)
    }

    fn run(&self, variables: &[(&str, Option<&str>)]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/fetch-v8.sh");
        let mut command = Command::new("/bin/sh");
        command.arg(script).env_clear().env("PATH", self.at("bin"));
        command.env("CARGO_TARGET_DIR", self.at("target"));
        for (name, value) in variables {
            command.envs(value.map(|value| (name, value)));
        }
        command.output().unwrap()
    }
}

fn asked_name() -> String {
    let version = version();
    format!("v{version}/librusty_v8_simdutf_release_x86_64-unknown-linux-gnu.a.gz")
}

#[test]
fn uses_only_checked_or_official_downloads() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("fetch_v8.yaml")).unwrap();
    for row in rows {
        let place = Place::new();
        let about = &row.about;
        let curl = format!(
            "echo \"$*\" > {}\nwhile [ \"$1\" != --output ]; do shift; done\necho library > \"$2\"{}",
            place.at("called").display(),
            if row.breaks_off { "\nexit 28" } else { "" },
        );
        fake(&place.at("bin"), "curl", &curl);
        if let Some(left) = &row.left {
            fs::create_dir(place.at("target")).unwrap();
            fs::write(place.archive(), format!("{left}\n")).unwrap();
        }
        let ran = place.run(&[
            ("RUSTY_V8_MIRROR", row.mirror.as_deref()),
            ("RUSTY_V8_SHA256", row.sum.as_deref()),
        ]);
        let stderr = String::from_utf8(ran.stderr).unwrap();
        let filled = |text: &str| text.replace("NAME", &asked_name());
        assert_eq!(ran.status.code(), Some(row.code), "{about}: {stderr}");
        assert_eq!(stderr, filled(&row.stderr), "{about}");
        let called = fs::read_to_string(place.at("called")).unwrap_or_default();
        let asked = called.split_whitespace().next_back().map(str::to_owned);
        assert_eq!(asked, row.asks.as_deref().map(filled), "{about}");
        if asked.is_some() {
            let only_https = "--proto =https --proto-redir =https ";
            assert!(called.starts_with(only_https), "{about}: {called}");
        }
        let printed = String::from_utf8(ran.stdout).unwrap();
        if row.code == 0 {
            let archive = fs::canonicalize(place.archive()).unwrap();
            assert_eq!(printed, format!("{}\n", archive.display()), "{about}");
            let held = fs::read_to_string(archive).unwrap();
            assert_eq!(held, "library\n", "{about}");
        } else {
            assert_eq!(printed, "", "{about}");
            let kept = fs::read_dir(place.at("target")).into_iter().flatten();
            assert_eq!(kept.count(), 0, "{about}: files are left");
        }
    }
}

/// A local Python web server, which stops when dropped.
struct Server {
    _process: Running,
    address: String,
}

impl Server {
    /// Serves "library" at every path, or redirects every path to `redirect` if it is not empty.
    /// With `certified`, the server speaks HTTPS.
    fn start(folder: &Path, certified: bool, redirect: &str) -> Self {
        let program = include_str!("fetch_v8/server.py");
        let scheme = if certified { "https" } else { "http" };
        let mut command = Command::new("python3");
        command
            .args(["-c", program, scheme, redirect])
            .current_dir(folder);
        let (process, address) = Running::serve(&mut command);
        Self {
            _process: process,
            address,
        }
    }
}

#[test]
fn downloads_only_over_https() {
    let is_there = |program: &str, argument: &str| {
        let ran = Command::new(program).arg(argument).output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    if !is_there("curl", "--version")
        || !is_there("python3", "--version")
        || !is_there("openssl", "version")
    {
        eprintln!("skipped: curl, python3 and openssl are needed");
        return;
    }
    let place = Place::new();
    link_tools(&place.at("bin"), &["curl"]);
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        .args(["-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let certificate = place.at("cert.pem");
    let certificate = certificate.to_str();
    let folder = place.folder.path();
    let plain = Server::start(folder, false, "");
    let encrypted = Server::start(folder, true, "");
    let led_away = Server::start(folder, true, &plain.address);
    // SHA-256 of "library\n".
    let sum = "b5e0dfe3c2b269568c488e74fdc56495a5729538ebc6ef36488c85a7d7a1730e";
    // Mirror, trusted certificates, and expected exit code.
    let rows = [
        (&encrypted.address, certificate, 0),
        (&encrypted.address, None, 1),
        (&led_away.address, certificate, 1),
        (&plain.address, certificate, 3),
    ];
    for (mirror, trusted, code) in rows {
        let ran = place.run(&[
            ("RUSTY_V8_MIRROR", Some(mirror)),
            ("RUSTY_V8_SHA256", Some(sum)),
            ("CURL_CA_BUNDLE", trusted),
        ]);
        assert_eq!(ran.status.code(), Some(code), "{mirror}: {ran:?}");
        assert_eq!(place.archive().exists(), code == 0, "{mirror}");
        // Remove the library, so that the next row downloads it again.
        let _ = fs::remove_file(place.archive());
    }
}
