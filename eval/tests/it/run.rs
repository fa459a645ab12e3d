//! `rlm-eval run` with the scripted model: the complete run directory in both prompt modes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use harness::model::{Event, Status};
use records::AttemptRecord;
use records::run_dir::{COLUMNS, RunDir};
use serde_json::Value;

use crate::binary::{Binary, Ran};

/// Flags of a run with two samples of 8,000 characters and their scripted model.
pub const S_NIAH: [&str; 9] = [
    "run",
    "--benchmark",
    "s-niah",
    "--context-len",
    "8k",
    "--model",
    "scripted",
    "--samples-per-length",
    "2",
];

/// A finished run and the folder that it created in `results`.
pub struct Finished {
    pub ran: Ran,
    pub dir: RunDir,
}

impl Finished {
    /// Returns the records by sample and attempt.
    pub fn records(&self) -> BTreeMap<(String, u32), &AttemptRecord> {
        let key = |record: &AttemptRecord| (record.id.clone(), record.attempt);
        self.dir
            .records
            .iter()
            .map(|record| (key(record), record))
            .collect()
    }

    /// Returns the events of an attempt.
    pub fn events(&self, sample: &str, attempt: u32) -> Vec<Event> {
        lines(&self.dir.trajectory(sample, attempt))
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path.join(name)).expect("the file can be read")
    }
}

/// Returns the path of the only entry of a folder, such as a run in `results`.
pub fn only(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap();
    let path = entries.next().unwrap().unwrap().path();
    assert!(
        entries.next().is_none(),
        "more than one entry in {}",
        folder.display()
    );
    path
}

/// Parses a file as JSON.
pub fn read_json(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Parses every line of a file as JSON.
pub fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).expect("the file can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is a record"))
        .collect()
}

/// Returns the arguments of `S_NIAH` followed by `more`; later values override earlier ones.
pub fn s_niah<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = S_NIAH.to_vec();
    let mut more = more.iter();
    while let Some(flag) = more.next() {
        let value = if flag.starts_with("--") && *flag != "--json" {
            more.next()
        } else {
            None
        };
        match (args.iter().position(|arg| arg == flag), value) {
            (Some(at), Some(value)) => args[at + 1] = value,
            _ => args.extend([flag].into_iter().chain(value)),
        }
    }
    args
}

/// Runs the binary, which must create exactly one folder in `results`, whatever its exit code.
pub fn finish(binary: &Binary, args: &[&str]) -> Finished {
    let before = runs(binary.path());
    let ran = binary.run(args, "");
    let new: Vec<PathBuf> = runs(binary.path())
        .into_iter()
        .filter(|run| !before.contains(run))
        .collect();
    let [dir] = new.as_slice() else {
        panic!("expected one new run of {args:?}, found {new:?}: {ran:?}");
    };
    Finished {
        dir: RunDir::open(dir).expect("the folder contains a run"),
        ran,
    }
}

fn runs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("results")).into_iter().flatten();
    entries
        .map(|entry| entry.expect("the entry can be read").path())
        .collect()
}

/// Returns the paths of all files below a folder.
pub fn files_in(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let (folders, mut files): (BTreeSet<_>, BTreeSet<_>) = paths.partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| files_in(folder)));
    files
}

/// Returns the sorted relative paths of all files and folders below a folder.
pub fn tree(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder can be read") {
            let path = entry.expect("an entry can be read").path();
            let name = path
                .strip_prefix(folder)
                .expect("the path is in the folder");
            files.push(name.to_string_lossy().into_owned());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn both_modes_write_complete_run() {
    for (mode, agents) in [("solver", 1), ("coordinator", 5)] {
        let binary = Binary::new();
        let run = finish(&binary, &s_niah(&["--prompt-mode", mode]));
        assert_eq!(run.ran.code, Some(0), "{mode}: {:?}", run.ran);
        let id = run.dir.path.file_name().unwrap().to_string_lossy();
        assert!(id.starts_with(&format!("s-niah-{mode}-")), "{id}");
        assert_eq!(
            tree(&run.dir.path),
            [
                "config.json",
                "journal",
                "journal/s-niah-8k-1.1.jsonl.zst",
                "journal/s-niah-8k-2.1.jsonl.zst",
                "lock.json",
                "results.csv",
                "samples.jsonl",
                "summary.json",
                "trajectories",
                "trajectories/s-niah-8k-1.1.jsonl",
                "trajectories/s-niah-8k-2.1.jsonl",
            ]
        );

        let identity = &run.dir.lock.run;
        assert_eq!(identity.run_id, id);
        assert_eq!(identity.prompt_mode.as_deref(), Some(mode));
        assert_eq!(identity.fingerprint, run.dir.lock.fingerprint.as_str());
        assert_eq!(run.dir.config["v"], 1);
        assert_eq!(run.dir.config["run"]["run_id"], *id);
        assert_eq!(run.dir.config["engine"]["max_depth"], 2);
        assert_eq!(run.dir.config["engine"]["max_iterations"], 15);
        assert_eq!(run.dir.config["concurrency"], 5);

        assert!(run.dir.truncated_record.is_none());
        for sample in ["s-niah-8k-1", "s-niah-8k-2"] {
            let record = run.records()[&(sample.to_owned(), 1)];
            let answer = record.answer.as_deref();
            assert_eq!(
                (
                    record.v,
                    record.run_id.as_str(),
                    record.status,
                    record.score,
                    answer
                ),
                (
                    1,
                    &*id,
                    Status::Ok,
                    Some(1.0),
                    Some(record.expected.as_str().unwrap())
                ),
            );
            assert_eq!((record.iterations, record.agents), (2, Some(agents)));
            assert_eq!(record.llm_calls, Some(2 * agents));
            assert_eq!(record.depth_reached, Some(u32::from(agents > 1)));
        }

        let summary: Value = serde_json::from_str(&run.read("summary.json")).unwrap();
        assert_eq!(
            (&summary["v"], &summary["attempts_total"]),
            (&3.into(), &2.into())
        );
        assert_eq!(
            (&summary["scored"], &summary["score"]["mean"]),
            (&2.into(), &1.0.into())
        );
        assert!(
            run.ran.stdout.contains("1.000"),
            "the table lacks the mean: {}",
            run.ran.stdout
        );
        check_csv(&run);
    }
}

/// Column names in the order that programs reading the file rely on.
const HEADER: &str = "run_id,benchmark,model,protocol,prompt_mode,drivers,max_depth,max_iterations,id,attempt,\
    cluster,score,status,error,answer,expected,iterations,agents,depth_reached,llm_calls,input_tokens,\
    cached_input_tokens,output_tokens,reasoning_tokens,cost_usd,total_time_s,working_time_s,overhead_ms,retries,\
    protocol_faults,dataset_digest,scorer,fingerprint,program,refused";

/// Checks that the CSV has the expected header and one row with the values of each record.
fn check_csv(run: &Finished) {
    let text = run.read("results.csv");
    assert_eq!(text.lines().next(), Some(HEADER));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), run.dir.records.len());
    let identity = &run.dir.lock.run;
    for row in rows {
        assert_eq!(row.len(), COLUMNS.len());
        let attempt: u32 = row["attempt"].parse().unwrap();
        let record = run.records()[&(row["id"].clone(), attempt)];
        let expected = [
            ("run_id", identity.run_id.clone()),
            ("benchmark", "s-niah".to_owned()),
            ("model", "scripted".to_owned()),
            ("protocol", "rlm".to_owned()),
            ("prompt_mode", identity.prompt_mode.clone().unwrap()),
            ("drivers", String::new()),
            ("max_depth", "2".to_owned()),
            ("max_iterations", "15".to_owned()),
            ("cluster", String::new()),
            ("score", "1".to_owned()),
            ("status", "ok".to_owned()),
            ("error", String::new()),
            ("answer", record.answer.clone().unwrap()),
            ("expected", record.expected.as_str().unwrap().to_owned()),
            ("iterations", record.iterations.to_string()),
            ("agents", record.agents.unwrap().to_string()),
            ("depth_reached", record.depth_reached.unwrap().to_string()),
            ("llm_calls", record.llm_calls.unwrap().to_string()),
            ("cost_usd", String::new()),
            ("total_time_s", record.total_time_s.to_string()),
            ("dataset_digest", identity.dataset_digest.clone()),
            ("scorer", "needle/1".to_owned()),
            ("fingerprint", identity.fingerprint.clone()),
        ];
        for (column, value) in expected {
            assert_eq!(row[column], value, "column {column}");
        }
    }
}

#[test]
fn names_run_directory() {
    let binary = Binary::new();
    let ran = binary.run(&s_niah(&["--name", "mine_1", "--json"]), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(printed["dir"], "results/mine_1");
    assert_eq!(printed["run"]["run_id"], "mine_1");
    assert_eq!(printed["run"]["scorer"], "needle/1");
    assert!(RunDir::open(&binary.path().join("results/mine_1")).is_ok());
    let again = binary.run(&s_niah(&["--name", "mine_1"]), "");
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (
            Some(2),
            "error: --name: results/mine_1 already exists\nhint: resume it with `rlm-eval run --resume results/mine_1`\n"
        )
    );
    assert_eq!(binary.paste(&again.stderr).code, Some(0));
    for wrong in ["", "a/b", "..", ".hidden", "-x", "a b", "é"] {
        let name = format!("--name={wrong}");
        let ran = binary.run(&[&S_NIAH[..], &[&name]].concat(), "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("expected a file name"), "{ran:?}");
    }
    let named = finish(
        &binary,
        &s_niah(&[
            "--prompt-mode",
            "coordinator",
            "--drivers",
            "delegation-first",
        ]),
    );
    let name = named.dir.path.file_name().unwrap().to_string_lossy();
    assert!(
        name.starts_with("s-niah-coordinator-delegation-first-2"),
        "{name}"
    );
}
