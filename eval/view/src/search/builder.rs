//! Updates the index from the trajectories of the runs, in a background thread. Texts can be found
//! as soon as they are committed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::store::{KnownFile, Owner, Store};
use super::texts::{Kind, Reading};
use crate::file_digest::digest_before;

/// Bytes of trajectories after which an update commits.
const COMMIT_BYTES: u64 = 64 << 20;
/// Time after which an update commits.
const COMMIT_AFTER: Duration = Duration::from_secs(2);

/// Progress of the index update.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Status {
    /// Whether the index is being updated.
    pub running: bool,
    /// Total bytes of trajectories.
    pub bytes: u64,
    /// Number of indexed bytes.
    pub indexed_bytes: u64,
    /// Number of trajectories.
    pub files: u64,
    /// Number of trajectories that have been processed.
    pub indexed_files: u64,
    /// Reason why the index could not be updated.
    pub problem: Option<String>,
    /// Duration of the current or last update in seconds.
    pub seconds: f64,
}

/// Builder of one index. Can be shared between threads.
#[derive(Debug, Default)]
pub struct Builder {
    status: Arc<Mutex<Status>>,
    stop: Arc<AtomicBool>,
}

struct TrajectoryFile {
    run: String,
    path: PathBuf,
    bytes: u64,
    /// Modification time in nanoseconds since 1970.
    modified: i64,
}

/// Attempt that a trajectory belongs to, read from its first line.
#[derive(Deserialize)]
struct FileOwner {
    sample: String,
    attempt: u32,
}

impl Builder {
    /// Returns the progress of the current or last update.
    pub fn status(&self) -> Status {
        self.status.lock().clone()
    }

    /// Starts updating the index in `file` from the given runs (ids and folders, newest first),
    /// unless an update is already running.
    pub fn start(&self, file: &Path, runs: Vec<(String, PathBuf)>) {
        {
            let mut status = self.status.lock();
            if status.running {
                return;
            }
            *status = Status {
                running: true,
                ..Status::default()
            };
        }
        let (status, stop, file) = (
            Arc::clone(&self.status),
            Arc::clone(&self.stop),
            file.to_owned(),
        );
        thread::spawn(move || {
            let began = Instant::now();
            let done = build(&file, &runs, &status, &stop, began);
            let mut status = status.lock();
            status.running = false;
            status.problem = done
                .err()
                .map(|problem| format!("{}: {problem}", file.display()));
        });
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn build(
    file: &Path,
    runs: &[(String, PathBuf)],
    status: &Mutex<Status>,
    stop: &AtomicBool,
    began: Instant,
) -> Result<(), Box<dyn std::error::Error>> {
    let found = trajectories(runs);
    {
        let mut status = status.lock();
        status.files = found.len() as u64;
        status.bytes = found.iter().map(|one| one.bytes).sum();
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let store = Store::create(file)?;
    let mut adding = IndexUpdate {
        store: &store,
        open: false,
        bytes: 0,
        since: Instant::now(),
        prompts: HashSet::new(),
    };
    // Each new run gets a lower row number than all earlier ones, and search results are sorted by
    // row number. The newest run is therefore added last.
    adding.begin()?;
    for (id, _) in runs.iter().rev() {
        store.run(id)?;
    }
    let (mut run, mut row) = ("", 0);
    for one in &found {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if run != one.run {
            adding.begin()?;
            row = store.run(&one.run)?;
            run = &one.run;
        }
        let before = status.lock().indexed_bytes;
        adding.file(row, one, |bytes| {
            let mut status = status.lock();
            status.indexed_bytes = before + bytes;
            status.seconds = began.elapsed().as_secs_f64();
            !stop.load(Ordering::Relaxed)
        })?;
        let mut status = status.lock();
        status.indexed_bytes = before + one.bytes;
        status.indexed_files += 1;
        status.seconds = began.elapsed().as_secs_f64();
    }
    adding.commit()?;
    Ok(())
}

/// Returns the trajectories of the runs, except symbolic links.
fn trajectories(runs: &[(String, PathBuf)]) -> Vec<TrajectoryFile> {
    let mut found = Vec::new();
    for (run, folder) in runs {
        let Ok(folder) = fs::read_dir(folder.join("trajectories")) else {
            continue;
        };
        let files = folder.flatten().filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            let path = entry.path();
            let is_one = metadata.is_file() && path.extension().is_some_and(|end| end == "jsonl");
            is_one.then(|| TrajectoryFile {
                run: run.clone(),
                path,
                bytes: metadata.len(),
                modified: modified(&metadata),
            })
        });
        let mut files: Vec<TrajectoryFile> = files.collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        found.extend(files);
    }
    found
}

/// Returns the modification time of a file in nanoseconds since 1970, or 0 if it is unknown.
fn modified(file: &Metadata) -> i64 {
    let time = file.modified().ok();
    let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or_default()
}

struct IndexUpdate<'a> {
    store: &'a Store,
    open: bool,
    bytes: u64,
    since: Instant,
    /// Hashes of the system prompts indexed for the current run, because agents share prompts.
    prompts: HashSet<u64>,
}

/// A model's reply that is not indexed yet. If its code runs, a later event repeats the code.
struct Reply {
    place: (u64, usize, u32),
    texts: Vec<String>,
}

impl IndexUpdate<'_> {
    fn begin(&mut self) -> rusqlite::Result<()> {
        if !self.open {
            self.store.begin()?;
            self.open = true;
            self.since = Instant::now();
        }
        Ok(())
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        if self.open {
            self.store.commit()?;
            self.open = false;
            self.bytes = 0;
        }
        Ok(())
    }

    /// Adds the new lines of a trajectory. Calls `read` after each commit with the number of bytes
    /// read; `read` returns whether to continue.
    fn file(
        &mut self,
        run: i64,
        one: &TrajectoryFile,
        read: impl Fn(u64) -> bool,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let name = one.path.file_name().unwrap_or_default().to_string_lossy();
        let known = self.store.file(run, &name)?;
        let is_same =
            |known: &KnownFile| known.bytes == one.bytes && known.modified == one.modified;
        if known.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        let mut lines = BufReader::with_capacity(1 << 18, File::open(&one.path)?);
        let mut line = Vec::new();
        let mut file = match known {
            Some(known) if digest_before(&mut lines, known.bytes)? == known.digest => known,
            // The file is new, or its attempt was run again.
            _ => {
                lines.rewind()?;
                lines.read_until(b'\n', &mut line)?;
                let Ok(head) = serde_json::from_slice::<FileOwner>(&line) else {
                    return Ok(());
                };
                self.begin()?;
                let of = Owner {
                    run: one.run.clone(),
                    sample: head.sample,
                    attempt: head.attempt,
                    name: name.into_owned(),
                };
                self.store.add_file(run, &of)?
            }
        };
        if file.modified != one.modified {
            self.begin()?;
            file.modified = one.modified;
        }
        lines.seek(SeekFrom::Start(file.bytes))?;
        let mut replies: HashMap<String, Reply> = HashMap::new();
        loop {
            line.clear();
            lines.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                break;
            }
            self.begin()?;
            self.line(run, &mut file, &line, &mut replies)?;
            file.bytes += line.len() as u64;
            self.bytes += line.len() as u64;
            let due = self.bytes >= COMMIT_BYTES || self.since.elapsed() >= COMMIT_AFTER;
            if due && replies.is_empty() {
                file.digest = digest_before(&mut lines, file.bytes)?;
                self.store.keep_file(&file)?;
                self.commit()?;
                if !read(file.bytes) {
                    return Ok(());
                }
            }
        }
        if self.open {
            for (_, reply) in replies {
                self.reply(&mut file, reply, None)?;
            }
            file.digest = digest_before(&mut lines, file.bytes)?;
            self.store.keep_file(&file)?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        run: i64,
        file: &mut KnownFile,
        line: &[u8],
        replies: &mut HashMap<String, Reply>,
    ) -> rusqlite::Result<()> {
        let Some(read) = Reading::take(&mut file.reading, line) else {
            return Ok(());
        };
        let place = (file.bytes, line.len(), read.iteration);
        if read.is_reply {
            let texts = read.found.into_iter().map(|one| one.text).collect();
            if let Some(earlier) = replies.insert(read.agent, Reply { place, texts }) {
                self.reply(file, earlier, None)?;
            }
            return Ok(());
        }
        for one in read.found {
            if one.kind == Kind::Code
                && let Some(reply) = replies.remove(&read.agent)
            {
                self.reply(file, reply, Some(&one.text))?;
            }
            if one.kind == Kind::Prompt {
                let mut hasher = DefaultHasher::new();
                (run, &one.text).hash(&mut hasher);
                if !self.prompts.insert(hasher.finish()) {
                    continue;
                }
            }
            self.store.add_text(file, &one.text, one.kind, place)?;
        }
        Ok(())
    }

    /// Adds a reply without the code that ran, which is indexed as the code of its cell.
    fn reply(
        &self,
        file: &mut KnownFile,
        reply: Reply,
        code: Option<&str>,
    ) -> rusqlite::Result<()> {
        for text in reply.texts {
            let code = code.map(str::trim).filter(|code| !code.is_empty());
            let text = match code.and_then(|code| text.split_once(code)) {
                Some((before, after)) => format!("{before} {after}"),
                None => text,
            };
            if !text.trim().is_empty() {
                self.store
                    .add_text(file, &text, Kind::Message, reply.place)?;
            }
        }
        Ok(())
    }
}
