//! `quickstart.sh` with and without the V8 library: its builds and its output. Cargo, rustc, curl
//! and the built program are replaced by fakes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::system_packages::{fake, put};

/// A system and the expected result of the script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    /// Programs and headers that the system has.
    there: Vec<String>,
    /// Behavior of the fake curl.
    #[serde(default)]
    server: Server,
    /// Value of `RUSTY_V8_MIRROR`.
    #[serde(default)]
    mirror: Option<String>,
    /// Value of `RUSTY_V8_SHA256`.
    #[serde(default)]
    sum: Option<String>,
    /// Value of `RUSTY_V8_ARCHIVE`.
    #[serde(default)]
    archive: Option<String>,
    code: i32,
    /// Arguments of Cargo and the library passed to it; `None` if Cargo is not called.
    #[serde(default)]
    builds: Option<String>,
    /// A line that stderr contains.
    says: String,
    /// Requested URL; `None` if curl is missing or not called.
    #[serde(default)]
    asked: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Server {
    /// curl is not installed.
    #[default]
    Unasked,
    Answers,
    #[serde(rename = "breaks off")]
    BreaksOff,
}

/// Programs that the script needs on every system.
pub const TOOLS: [&str; 12] = [
    "cat",
    "cut",
    "dirname",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sha256sum",
    "tr",
    "chmod",
    "id",
];

#[test]
fn uses_v8_if_library_is_available() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("quickstart.yaml")).unwrap();
    for row in rows {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (bin, target) = (at.join("bin"), at.join("target"));
        fs::create_dir(&bin).unwrap();
        link_tools(&bin, &TOOLS);
        // The fake compiler finds the header if the file `simde` exists.
        fake(
            &bin,
            "cc",
            &format!("test -e {}", at.join("simde").display()),
        );
        for program in &row.there {
            put(at, program);
        }
        fake(&bin, "rustc", "echo 'host: x86_64-unknown-linux-gnu'");
        let built = target.join("release");
        let build = format!(
            "echo \"$*${{RUSTY_V8_ARCHIVE:+ by $RUSTY_V8_ARCHIVE}}$RUSTY_V8_MIRROR\" > {0}/built; mkdir -p {1}; \
             printf '#!/bin/sh\\necho \" in short\"\\n' > {1}/rlm-eval; chmod +x {1}/rlm-eval",
            at.display(),
            built.display()
        );
        fake(&bin, "cargo", &build);
        let note = "for word; do address=$word; done; echo \"$address\" > ASKED\nwhile [ \"$1\" != --output ]; do shift; done\n\
                    echo library > \"$2\""
            .replace("ASKED", &at.join("asked").to_string_lossy());
        match row.server {
            Server::Unasked => {}
            Server::Answers => fake(&bin, "curl", &note),
            Server::BreaksOff => fake(&bin, "curl", &format!("{note}\nexit 28")),
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quickstart.sh");
        let mut command = Command::new("/bin/sh");
        command.arg(script).env_clear().env("PATH", &bin);
        command.env("CARGO_TARGET_DIR", &target).env("TMPDIR", at);
        let variables = [
            ("RUSTY_V8_MIRROR", &row.mirror),
            ("RUSTY_V8_SHA256", &row.sum),
            ("RUSTY_V8_ARCHIVE", &row.archive),
        ];
        for (name, value) in variables {
            command.envs(value.as_ref().map(|value| (name, value)));
        }
        let ran = command.output().unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        let about = &row.about;
        assert_eq!(ran.status.code(), Some(row.code), "{about}: {stderr}");
        let filled = |text: &str| {
            let version = version();
            text.replace("TARGET", &target.to_string_lossy())
                .replace("VERSION", &version)
        };
        let says = filled(&row.says);
        assert!(stderr.lines().any(|line| line == says), "{about}: {stderr}");
        let noted = |name: &str| {
            let text = fs::read_to_string(at.join(name)).ok();
            text.map(|text| text.trim_end().to_owned())
        };
        assert_eq!(
            noted("built"),
            row.builds.as_deref().map(filled),
            "{about}: {stderr}"
        );
        assert_eq!(noted("asked"), row.asked.as_deref().map(filled), "{about}");
        let left = fs::read_dir(&target).into_iter().flatten().flatten();
        let mut left = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
        assert!(
            !left.any(|name| name.contains(".a.gz.")),
            "{about}: a partial download is left"
        );
    }
}

/// Links system programs into a folder.
pub fn link_tools(bin: &Path, tools: &[&str]) {
    for tool in tools {
        let found = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
        let found = found.iter().find(|path| path.exists()).unwrap();
        symlink(found, bin.join(tool)).unwrap();
    }
}

/// Returns the version of the crate `v8`.
pub fn version() -> String {
    let lock = include_str!("../../../Cargo.lock");
    let (_, rest) = lock.split_once("name = \"v8\"\nversion = \"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}
