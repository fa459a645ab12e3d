//! `arc`: the tasks of ARC-AGI-1 and -2, one JSON file each.
//!
//! The file format is that of <https://github.com/fchollet/ARC-AGI> and
//! <https://github.com/arcprize/ARC-AGI-2>.

mod scorer;
mod task;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::dataset::{SampleMetadata, sample_metadata};
use crate::entry::{Entry, SupportedOption};
use crate::{Dataset, DatasetError, NamedScorer, OpenError, Options, Sample, Scorer};
use scorer::ArcGrid;
use task::Task;

pub(crate) const ENTRY: Entry = Entry {
    name: "arc",
    summary: "ARC-AGI-1 and -2: find the rule behind pairs of grids and apply it",
    scorer: ArcGrid::NAME,
    source: "github.com/fchollet/ARC-AGI, github.com/arcprize/ARC-AGI-2",
    license: "Apache-2.0",
    size: "400 (AGI-1) or 120 (AGI-2) for evaluation",
    reads: &[SupportedOption::Split],
    own_scorer: Some(NamedScorer {
        name: "arc-grid",
        summary: "the expected grids",
        make: || Arc::new(ArcGrid),
    }),
    ..Entry::rows(open)
};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "arc/1";

const ONE_TEST: &str = include_str!("one_test.txt");
const MANY_TESTS: &str = include_str!("many_tests.txt");

struct Arcs {
    /// Task files, in the same order as the ids.
    files: Vec<File>,
    ids: Vec<String>,
    digest: String,
}

struct File {
    path: PathBuf,
    tests: usize,
    training_pairs: usize,
    /// Digest of the parsed task, so that white space in the file does not change it.
    digest: [u8; 32],
}

/// Opens `arc`, which uses the options `data_dir` and `split`. Reads and checks every task, but
/// does not keep any in memory.
///
/// The tasks are the `*.json` files in `evaluation/`, or else those in `training/`, or else those
/// in the folder itself. With a split, they are the files in the subfolder of that name. Samples
/// are in the byte order of file names.
///
/// # Errors
///
/// If the folder is not given, is missing or has no tasks, or if a file is not an ARC task with all
/// outputs.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let folder = options.data(
        ENTRY.name,
        "a folder of ARC-AGI task files (*.json), or one with evaluation/ or training/ in it",
    )?;
    let mut arcs = Arcs {
        files: Vec::new(),
        ids: Vec::new(),
        digest: String::new(),
    };
    let mut digest = Sha256::new().chain_update(format!("{FORMAT}\0{ONE_TEST}\0{MANY_TESTS}\0"));
    let files = match options.split.as_deref() {
        Some(split) => files_of_split(folder, split)?,
        None => task_files(folder)?,
    };
    for path in files {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            let problem = format!("the file name of {} is not UTF-8", path.display());
            return Err(DatasetError::Unusable(problem).into());
        };
        let id = format!("{}-{stem}", ENTRY.name);
        let task = Task::read(&path)?;
        let file = File {
            tests: task.test.len(),
            training_pairs: task.train.len(),
            digest: task.digest(),
            path,
        };
        digest.update(format!("{id}\0"));
        digest.update(file.digest);
        arcs.ids.push(id);
        arcs.files.push(file);
    }
    arcs.digest = hex::encode(digest.finalize());
    Ok(Box::new(arcs))
}

impl Dataset for Arcs {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn metadata(&self, index: usize) -> SampleMetadata {
        let file = self.files.get(index);
        sample_metadata(file.into_iter().flat_map(|file| {
            [
                ("tests", json!(file.tests)),
                ("training_pairs", json!(file.training_pairs)),
            ]
        }))
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let (Some(id), Some(file)) = (self.ids.get(index), self.files.get(index)) else {
            return Err(DatasetError::out_of_range(index, &self.ids));
        };
        let task = Task::read(&file.path)?;
        if task.digest() != file.digest {
            return Err(DatasetError::Changed {
                path: file.path.clone(),
            });
        }
        let tests = task.test.len();
        let query = if tests == 1 { ONE_TEST } else { MANY_TESTS };
        Ok(Sample {
            id: id.clone(),
            query: query.trim_end().replace("<tests>", &tests.to_string()),
            context: task.question().to_string().into(),
            expected: task.answer(),
            metadata: self.metadata(index),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(ArcGrid)
    }
}

/// Subfolders of the published data, in the order in which they are searched.
const SPLITS: [&str; 2] = ["evaluation", "training"];

/// Returns the task files of a split, sorted by name.
fn files_of_split(folder: &Path, split: &str) -> Result<Vec<PathBuf>, DatasetError> {
    let path = folder.join(split);
    // Only known names are accepted, so that a split such as `..` cannot lead out of the folder.
    let files = if SPLITS.contains(&split) && path.is_dir() {
        tasks_in(&path)?
    } else {
        Vec::new()
    };
    if files.is_empty() {
        return Err(DatasetError::Unusable(format!(
            "no tasks of the split `{split}` in {}; expected evaluation or training, folders of task files *.json",
            folder.display()
        )));
    }
    Ok(files)
}

/// Returns the task files of the first folder that has any, sorted by name.
fn task_files(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let subfolders = SPLITS.map(|name| folder.join(name));
    let subfolders = subfolders
        .into_iter()
        .filter(|subfolder| subfolder.is_dir());
    for folder in subfolders.chain([folder.to_owned()]) {
        let files = tasks_in(&folder)?;
        if !files.is_empty() {
            return Ok(files);
        }
    }
    Err(DatasetError::Unusable(format!(
        "no tasks (*.json) in {}, nor in evaluation/ or training/ below it",
        folder.display()
    )))
}

/// Returns the task files in a folder, sorted by name.
fn tasks_in(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(DatasetError::cannot_read(folder))?;
    let is_json = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "json")
            && path.is_file()
    };
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = paths.filter(is_json).collect();
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(files)
}
