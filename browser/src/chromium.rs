//! One Chromium process: found, started with a fresh directory, watched, and gone when it is dropped.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::environment;
use crate::error::{Error, Result};
use crate::gate::Gate;
use crate::pool::Settings;
use crate::unprivileged::User;
use crate::wire::Wire;

/// Names under which systems install it.
const PROGRAMS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];
/// Where shells look for programs without a `PATH`.
const NO_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// What follows is the address of the `DevTools` socket.
const LISTENING: &str = "DevTools listening on ";
/// How often memory is measured.
const MEASURE_EVERY: Duration = Duration::from_millis(500);
/// Lines of the browser's stderr that an error may quote.
const LINES_KEPT: usize = 5;

const ARGUMENTS: [&str; 21] = [
    "--lang=en-US",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--disable-sync",
    "--disable-popup-blocking",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
];

/// What pages learn of where they are shown: the same on every machine, so that a page's dates, numbers and the words of its
/// controls are, too.
const PLACE: [(&str, &str); 4] = [
    ("TZ", "UTC"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("LANGUAGE", "en_US"),
];

/// A running browser with its gate. Dropping it ends its processes and deletes its files.
#[derive(Debug)]
pub(crate) struct Chromium {
    pub(crate) wire: Wire,
    pub(crate) gate: Gate,
    pub(crate) pid: u32,
    pub(crate) served: u32,
    // Killed at the latest by the guard, which waits for its stdin to close.
    _child: Child,
    _guard: Child,
    _watch: JoinSet<()>,
}

/// The program to start: the one named, or the first of the usual names on `PATH`.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = named {
        let tried = program.display().to_string();
        return if program.is_file() {
            Ok(program.to_owned())
        } else {
            Err(Error::NotInstalled { tried })
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| NO_PATH.into());
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    PROGRAMS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
        .ok_or_else(|| Error::NotInstalled {
            tried: format!("{} on PATH", PROGRAMS.join(", ")),
        })
}

impl Chromium {
    pub(crate) async fn start(program: &Path, settings: &Settings) -> Result<Self> {
        let started =
            tokio::time::timeout(settings.start_timeout, Self::launch(program, settings)).await;
        started.unwrap_or_else(|_| {
            Err(Error::NotStarted {
                program: program.display().to_string(),
                reason: format!(
                    "it said nothing for {} s",
                    settings.start_timeout.as_secs_f64()
                ),
            })
        })
    }

    async fn launch(program: &Path, settings: &Settings) -> Result<Self> {
        let failed = |reason: String| {
            let is_refused = ["sandbox", "namespace", "not permitted", "ermission denied"]
                .iter()
                .any(|word| reason.contains(word));
            if settings.is_sandboxed && is_refused {
                return Error::NoSandbox { reason };
            }
            Error::NotStarted {
                program: program.display().to_string(),
                reason,
            }
        };
        let gate = Gate::open()
            .await
            .map_err(|error| failed(format!("no port for its proxy: {error}")))?;
        let user = if settings.is_sandboxed {
            User::in_place_of_root()
        } else {
            None
        };
        let mut place = tempfile::Builder::new();
        place.prefix("eval-browser-");
        // Root's own place for such may be closed to another user.
        let profile = match user {
            Some(_) => place.tempdir_in("/tmp"),
            None => place.tempdir(),
        };
        let profile =
            profile.map_err(|error| failed(format!("no directory for its profile: {error}")))?;
        let mut command = Command::new(program);
        if settings.is_sandboxed {
            if let Some(user) = user {
                let owned = user.own(profile.path());
                owned.map_err(|error| {
                    failed(format!(
                        "root may not give a directory to the user {}: {error}: not permitted",
                        user.id
                    ))
                })?;
                command.uid(user.id).gid(user.group);
            }
        } else {
            command.arg("--no-sandbox"); // Chromium refuses its own to root, and containers lack user namespaces
        }
        // Keys in the environment are no page's concern, even of one that has taken over its process.
        command.env_clear().env("PATH", NO_PATH);
        if settings.is_visible {
            command.envs(environment::of_desktop_child());
        } else {
            command.arg("--headless").envs(environment::of_child());
        }
        let mut child = command
            .args(ARGUMENTS)
            .arg(format!(
                "--window-size={},{}",
                settings.viewport.0, settings.viewport.1
            ))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("--remote-debugging-port=0")
            .arg(format!("--proxy-server=http://127.0.0.1:{}", gate.port))
            .arg("--proxy-bypass-list=<-loopback>") // Chromium would spare loopback the proxy
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg("about:blank")
            .env("HOME", profile.path())
            .envs(PLACE)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let pid = child
            .id()
            .ok_or_else(|| failed("it ended at once".to_owned()))?;
        let guard = Command::new("/bin/sh")
            .args(["-c", include_str!("guard.sh"), "guard"])
            .arg(pid.to_string())
            .arg(profile.keep())
            .env_clear()
            .envs(environment::of_child())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0) // Ctrl-C of the terminal must not end it before its work
            .spawn()
            .map_err(|error| failed(format!("no guard: {error}")))?;

        let stderr = child
            .stderr
            .take()
            .ok_or_else(|| failed("it has no stderr".to_owned()))?;
        let mut lines = BufReader::new(stderr).lines();
        let said = Arc::new(Mutex::new(Vec::new()));
        let address = loop {
            match lines.next_line().await {
                Ok(Some(line)) => match line.strip_prefix(LISTENING) {
                    Some(address) => break address.trim().to_owned(),
                    None => keep(&said, line),
                },
                _ => return Err(failed(quote(&said))),
            }
        };
        let wire = Wire::connect(&address, Arc::clone(&gate.rules))
            .await
            .map_err(|error| failed(error.to_string()))?;
        let mut watch = JoinSet::new();
        watch.spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                keep(&said, line);
            }
        });
        watch.spawn(limit_memory(pid, settings.memory_limit_mb, wire.clone()));
        Ok(Self {
            wire,
            gate,
            pid,
            served: 0,
            _child: child,
            _guard: guard,
            _watch: watch,
        })
    }
}

fn keep(said: &Mutex<Vec<String>>, line: String) {
    // A stack says nothing to whoever reads it.
    if line.starts_with('#') {
        return;
    }
    let mut said = said.lock();
    if said.len() == LINES_KEPT {
        said.remove(0);
    }
    said.push(line);
}

fn quote(said: &Mutex<Vec<String>>) -> String {
    let said = said.lock();
    if said.is_empty() {
        "it ended without a word".to_owned()
    } else {
        said.join(" / ")
    }
}

/// Ends the connection with [`Error::OutOfMemory`] when the browser's processes together take too much.
async fn limit_memory(pid: u32, limit_mb: u64, wire: Wire) {
    loop {
        tokio::time::sleep(MEASURE_EVERY).await;
        let Ok(taken) = tokio::task::spawn_blocking(move || memory_of_group(pid)).await else {
            return;
        };
        if taken / 1024 > limit_mb {
            wire.end(Error::OutOfMemory { limit_mb });
            return;
        }
    }
}

/// The proportional set size of all processes of a group, in KB; 0 where there is no `/proc`.
fn memory_of_group(group: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| group_of(path) == Some(group))
        .filter_map(|path| std::fs::read_to_string(path.join("smaps_rollup")).ok())
        .filter_map(|text| {
            text.lines().find_map(|line| {
                line.strip_prefix("Pss:")?
                    .split_whitespace()
                    .next()?
                    .parse::<u64>()
                    .ok()
            })
        })
        .sum()
}

/// Field 5 of `stat`; the name, field 2, may hold spaces and ends with the last parenthesis (proc(5)).
fn group_of(process: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(2)?
        .parse()
        .ok()
}
