//! Runs the built binary in its own folder and environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Whether long tests run at full length, as in `./test.sh --full`.
pub fn is_full() -> bool {
    std::env::var_os("EVAL_TEST_FULL").is_some()
}

/// Folder of the user's caches in tests. It keeps the engine snapshot, without which each start
/// with a REPL would take a quarter of a second more CPU time.
pub const CACHES: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/caches");

/// A running program, which is killed when dropped.
pub struct Running(pub Child);

impl Running {
    /// Starts a server and returns it with the first line of its output.
    pub fn serve(command: &mut Command) -> (Self, String) {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = Self(command.stderr(Stdio::null()).spawn().unwrap());
        let stdout = server.0.stdout.take().unwrap();
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "{command:?} printed nothing");
        (server, line.trim().to_owned())
    }

    pub fn kill(&mut self) {
        // The process may have exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Sends a signal, such as `-STOP`.
    pub fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        let sent = kill.args([name, &self.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    pub fn code(&mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Result of running the binary.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The binary with its own temporary folder, and only the given environment variables and that of
/// [`CACHES`].
pub struct Binary {
    folder: TempDir,
    variables: BTreeMap<String, String>,
}

impl Binary {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder can be created"),
            variables: BTreeMap::from([("XDG_CACHE_HOME".to_owned(), CACHES.to_owned())]),
        }
    }

    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        let folder = path.parent().expect("a file has a parent folder");
        fs::create_dir_all(folder).expect("a folder can be created");
        fs::write(path, content).expect("a file can be written");
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_eval"));
        // Printed commands start with this name, as if the binary had been found through `PATH`.
        command.arg0("rlm-eval");
        command
            .args(args.iter().map(AsRef::as_ref))
            .current_dir(self.path())
            .env_clear()
            .envs(&self.variables);
        command
    }

    /// Starts the binary without input and output.
    pub fn spawn<S: AsRef<str>>(&self, args: &[S]) -> Child {
        let mut command = self.command(args);
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        quiet
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts")
    }

    /// Runs a shell command line in which `"$0"` is the binary.
    pub fn shell(&self, line: &str) -> Ran {
        let output = Command::new("/bin/sh")
            .args(["-c", line, env!("CARGO_BIN_EXE_eval")])
            .current_dir(self.path())
            .env_clear()
            .envs(&self.variables)
            .stdin(Stdio::null())
            .output()
            .expect("a shell starts");
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }

    /// Runs the commands suggested in the last line that suggests any, until one fails. Returns the
    /// result of the last command that ran.
    pub fn paste(&self, stderr: &str) -> Ran {
        // If a shell has run the binary, suggestions contain its path.
        let path = concat!(env!("CARGO_BIN_EXE_eval"), " ");
        let is_command = |text: &&str| text.starts_with("rlm-eval ") || text.starts_with(path);
        let of_line = |line: &str| -> Vec<String> {
            let texts = line.split('`').skip(1).step_by(2).filter(is_command);
            texts.map(str::to_owned).collect()
        };
        let mut lines = stderr.lines().rev().map(of_line);
        let commands = lines.find(|commands| !commands.is_empty());
        let commands = commands.unwrap_or_else(|| panic!("no command in {stderr}"));
        let commands = commands.join(" && ");
        assert!(!commands.contains('…'), "{commands}");
        let commands = commands.replace(path, "rlm-eval ");
        self.shell(&commands.replace("rlm-eval ", "\"$0\" "))
    }

    pub fn run<S: AsRef<str>>(&self, args: &[S], stdin: impl Into<Vec<u8>>) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut pipe = child.stdin.take().expect("stdin is a pipe");
        let stdin = stdin.into();
        // Write in a thread, because the binary may answer before it has read all input, or may
        // never read it.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().expect("the binary ends");
        writer.join().expect("the writer does not panic");
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}
