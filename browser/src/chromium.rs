//! One Chromium process: finds, starts and watches it, and ends it on drop.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::devtools::Pipe;
use crate::environment;
use crate::error::{Error, Result};
use crate::gate::Gate;
use crate::settings::Settings;
use crate::unprivileged::User;
use crate::wire::Wire;

/// Chromium without a user interface, which starts in a third of the CPU time.
const HEADLESS_SHELL: &str = "chromium-headless-shell";
/// Names under which systems install Chromium.
const PROGRAMS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];
/// Length of `/org.chromium.Chromium.XXXXXX/SingletonSocket` in bytes, rounded up.
const SOCKET_PATH_BYTES: usize = 56;
/// Maximum length of a socket's path in bytes (unix(7)).
const MAX_SOCKET_PATH_BYTES: usize = 107;
/// Directories that shells search if `PATH` is not set.
const NO_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Shell script that passes its stdin and stdout to the browser as descriptors 3 and 4, which
/// `--remote-debugging-pipe` uses. Unlike a port, other processes cannot open them. `exec`
/// keeps the process id. The script closes descriptors 5 to 9, which may be inherited from this
/// program's parent; this program's own descriptors are closed on exec.
const PIPE_SCRIPT: &str =
    r#"exec 3<&0 4>&1 5<&- 6<&- 7<&- 8<&- 9<&- </dev/null >/dev/null; exec "$@""#;
/// Interval between memory measurements.
const MEASURE_EVERY: Duration = Duration::from_millis(500);
/// Maximum lines of the browser's stderr quoted in an error.
const MAX_LINES: usize = 5;
/// Maximum wait for the rest of the browser's stderr after the connection to the browser has
/// failed.
const STDERR_TIMEOUT: Duration = Duration::from_secs(5);

const ARGUMENTS: [&str; 22] = [
    "--lang=en-US",
    "--disable-gpu",
    "--site-per-process", // the default only of some builds
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

/// Environment variables that determine a page's locale and time zone. The values are fixed, so
/// that dates, numbers and control labels look the same on every machine. The locale need not be
/// installed.
const LOCALE_ENVIRONMENT: [(&str, &str); 4] = [
    ("TZ", "UTC"),
    ("LANG", "en_US.UTF-8"),
    ("LC_ALL", "en_US.UTF-8"),
    ("LANGUAGE", "en_US"),
];

/// A running browser with its gate. Dropping this value ends the browser's processes and deletes
/// its files.
#[derive(Debug)]
pub(crate) struct Chromium {
    pub(crate) wire: Wire,
    pub(crate) gate: Gate,
    pub(crate) pid: u32,
    pub(crate) served: u32,
    // If the child outlives this value, the guard kills it once the guard's stdin closes.
    _child: Child,
    _guard: Child,
    _watch: JoinSet<()>,
}

/// Returns the path of the program that a pool with these settings starts.
///
/// # Errors
/// [`Error::NotInstalled`].
pub fn find_program(settings: &Settings) -> Result<PathBuf> {
    if let Some(program) = &settings.program {
        let tried = program.display().to_string();
        return if program.is_file() {
            Ok(program.clone())
        } else {
            Err(Error::NotInstalled { tried })
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| NO_PATH.into());
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let hidden = (!settings.is_visible).then_some(HEADLESS_SHELL);
    let programs: Vec<&str> = hidden.into_iter().chain(PROGRAMS).collect();
    programs
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
        .ok_or_else(|| Error::NotInstalled {
            tried: format!("{} on PATH", programs.join(", ")),
        })
}

impl Chromium {
    pub(crate) async fn start(program: &Path, settings: &Settings) -> Result<Self> {
        let started = tokio::time::timeout(settings.start_timeout, async {
            let user = User::in_place_of_root();
            // A visible browser keeps running as root, because only root's own processes can show
            // windows on root's desktop.
            if settings.is_sandboxed || (user.is_some() && !settings.is_visible) {
                let started = Self::launch(program, settings, user).await;
                if settings.is_sandboxed || started.is_ok() {
                    return started;
                }
            }
            // Run as the current user: this program does not run as root, the browser is visible,
            // or only root can access the browser.
            Self::launch(program, settings, None).await
        })
        .await;
        started.unwrap_or_else(|_| {
            Err(Error::NotStarted {
                program: program.display().to_string(),
                reason: format!(
                    "no response within {} s",
                    settings.start_timeout.as_secs_f64()
                ),
            })
        })
    }

    async fn launch(program: &Path, settings: &Settings, user: Option<User>) -> Result<Self> {
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
            .map_err(|error| failed(format!("cannot open a port for its proxy: {error}")))?;
        let mut place = tempfile::Builder::new();
        place.prefix("eval-browser-");
        // Root's temporary directory may be inaccessible to another user.
        let profile = match user {
            Some(_) => place.tempdir_in("/tmp"),
            None => place.tempdir(),
        };
        let profile = profile.map_err(|error| {
            failed(format!(
                "cannot create a directory for its profile: {error}"
            ))
        })?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", PIPE_SCRIPT, "sh"]).arg(program);
        if let Some(user) = user {
            let owned = user.own(profile.path());
            owned.map_err(|error| {
                failed(format!(
                    "cannot make the user {} the owner of its profile directory: {error}: not permitted",
                    user.id
                ))
            })?;
            command.uid(user.id).gid(user.group);
        }
        if !settings.is_sandboxed {
            command.arg("--no-sandbox"); // root may not use Chromium's sandbox, and containers lack user namespaces
        }
        // API keys in the environment must not reach a page, even one that has taken over its
        // process.
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
            .arg("--remote-debugging-pipe")
            .arg(format!("--proxy-server=http://127.0.0.1:{}", gate.port))
            .arg("--proxy-bypass-list=<-loopback>") // by default, Chromium bypasses the proxy for loopback
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg("about:blank")
            .env("HOME", profile.path())
            .envs(temporary_folder(profile.path()))
            .envs(LOCALE_ENVIRONMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let pid = child
            .id()
            .ok_or_else(|| failed("it ended immediately".to_owned()))?;
        let guard = Command::new("/bin/sh")
            .args(["-c", include_str!("guard.sh"), "guard"])
            .arg(pid.to_string())
            .arg(profile.keep())
            .env_clear()
            .envs(environment::of_child())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0) // Ctrl-C in the terminal must not end it before the harness does
            .spawn()
            .map_err(|error| failed(format!("cannot start its guard process: {error}")))?;

        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(commands), Some(messages), Some(stderr)) = ends else {
            return Err(failed("its pipes were not created".to_owned()));
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let mut watch = JoinSet::new();
        let heard = Arc::clone(&said);
        watch.spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                keep(&heard, line);
            }
        });
        let pipe = Pipe::new(commands, messages);
        let Ok(wire) = Wire::connect(pipe, Arc::clone(&gate.rules)).await else {
            // Limit the wait, because a child of the program may keep stderr open.
            drop(tokio::time::timeout(STDERR_TIMEOUT, watch.join_next()).await);
            return Err(failed(quote(&said)));
        };
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

/// Returns the variable that makes a browser create temporary files in its profile directory, which
/// is removed with them even if the browser is killed.
fn temporary_folder(profile: &Path) -> Option<(&'static str, &Path)> {
    // Chromium creates a socket there and fails if the socket's path is too long.
    let fits = profile.as_os_str().len() + SOCKET_PATH_BYTES <= MAX_SOCKET_PATH_BYTES;
    fits.then_some(("TMPDIR", profile))
}

fn keep(said: &Mutex<Vec<String>>, line: String) {
    // Skip stack frames, which do not help the reader of an error.
    if line.starts_with('#') {
        return;
    }
    let mut said = said.lock();
    if said.len() == MAX_LINES {
        said.remove(0);
    }
    said.push(line);
}

fn quote(said: &Mutex<Vec<String>>) -> String {
    let said = said.lock();
    if said.is_empty() {
        "it ended without an error message".to_owned()
    } else {
        said.join(" / ")
    }
}

/// Ends the connection with [`Error::OutOfMemory`] once the browser's processes together use more
/// than `limit_mb`.
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

/// Returns the memory in KB of all processes in a process group; 0 without `/proc`.
fn memory_of_group(group: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| group_of(path) == Some(group))
        .filter_map(|path| memory_of(&path))
        .sum()
}

/// Returns a process's proportional set size in KB, or its anonymous memory if the proportional set
/// size is not readable: in a container, root may lack the right to read it for another user's
/// process.
fn memory_of(process: &Path) -> Option<u64> {
    let figure = |file: &str, name: &str| {
        let text = std::fs::read_to_string(process.join(file)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    figure("smaps_rollup", "Pss:").or_else(|| figure("status", "RssAnon:"))
}

/// Returns a process's group id, field 5 of `stat`. The program's name, field 2, may contain spaces
/// and ends at the last parenthesis (proc(5)).
fn group_of(process: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(2)?
        .parse()
        .ok()
}
