//! The catalog: what every benchmark says of itself, the options that one is opened with, and how it is found by its name.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::generated::TASKS_PER_LENGTH;
use crate::{Dataset, DatasetError, NamedScorer, user_dataset};

/// What a benchmark says of itself: the `ENTRY` of its folder.
#[derive(Debug)]
pub struct Entry {
    /// What [`open`] takes: its folder's name, with `-` for `_`.
    pub name: &'static str,
    /// What the benchmark asks for, in one line.
    pub summary: &'static str,
    /// The name of its scorer, version included: `needle/1`.
    pub scorer: &'static str,
    /// Where its data comes from.
    pub source: &'static str,
    /// The licence of the data.
    pub licence: &'static str,
    /// How many samples there are.
    pub size: &'static str,
    /// Whether [`Options::data_dir`] must be given.
    pub needs_data: bool,
    /// Which of the other options it goes by.
    pub reads: &'static [Reads],
    /// The scripted model of its name, partly right on purpose: YAML.
    pub model: &'static str,
    /// More scripted models, `NAME-ENDING`: the endings and the YAML.
    pub more_models: &'static [(&'static str, &'static str)],
    /// A sweep that is ready to run: YAML.
    pub sweep: Option<&'static str>,
    /// Others of its sweeps, each with what its name has behind that of the benchmark.
    pub more_sweeps: &'static [(&'static str, &'static str)],
    /// Where its data can be fetched.
    pub fetch: Option<Fetch>,
    /// A scorer that is made for it, and that others may use.
    pub own_scorer: Option<NamedScorer>,
    /// Makes a right answer plain that samples and records keep encrypted.
    pub plain_expected: Option<fn(&Value) -> Option<Value>>,
    pub(crate) open: Open,
}

/// Opens a benchmark.
pub(crate) type Open = fn(&Options) -> Result<Box<dyn Dataset>, OpenError>;

impl Entry {
    /// Its ready sweeps, each with its name: the benchmark's own, and `NAME-ENDING`.
    pub fn sweeps(&self) -> impl Iterator<Item = (String, &'static str)> {
        let own = self.sweep.map(|sweep| (self.name.to_owned(), sweep));
        let more = self.more_sweeps.iter();
        own.into_iter()
            .chain(more.map(|(ending, sweep)| (format!("{}-{ending}", self.name), *sweep)))
    }

    /// What benchmarks that are generated from a seed have in common. The files of every folder are found by `build.rs`.
    pub(crate) const fn generated(open: Open) -> Self {
        Self {
            name: "",
            summary: "",
            scorer: "",
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: &[Reads::ContextLengths, Reads::TasksPerLength, Reads::Seed],
            model: "",
            more_models: &[],
            sweep: None,
            more_sweeps: &[],
            fetch: None,
            own_scorer: None,
            plain_expected: None,
            open,
        }
    }

    /// What benchmarks that are rows of files have in common.
    pub(crate) const fn rows(open: Open) -> Self {
        Self {
            licence: "see the source",
            needs_data: true,
            reads: Reads::OWN,
            ..Self::generated(open)
        }
    }
}

/// Where data can be fetched, for whoever may use a network.
#[derive(Debug)]
pub struct Fetch {
    /// JSON: `{"hub": {"repo", "revision", "begins"}}` for a dataset of Hugging Face, `{"files": {"address"}}` for files below
    /// an address.
    pub source: &'static str,
    /// The checksums of those files, as `sha256sum` writes them.
    pub checksums: Option<&'static str>,
}

/// An option that not every benchmark goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// [`Options::context_lengths`].
    ContextLengths,
    /// [`Options::tasks_per_length`].
    TasksPerLength,
    /// [`Options::seed`].
    Seed,
    /// [`Options::labels`].
    Labels,
    /// [`Options::split`].
    Split,
    /// [`Options::skip_malformed`].
    SkipMalformed,
}

impl Reads {
    /// What a user's own benchmark is read from.
    pub const OWN: &'static [Self] = &[Self::Split, Self::SkipMalformed];
}

/// What benchmarks go by whose data comes in windows of stated lengths, with labels or without.
pub(crate) const WINDOWS: &[Reads] = &[
    Reads::ContextLengths,
    Reads::Labels,
    Reads::Split,
    Reads::SkipMalformed,
];

/// What a benchmark may be opened with. Each benchmark reads the options that concern it and ignores the others.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder or file of the benchmark's data, for those of which [`Entry::needs_data`] holds.
    pub data_dir: Option<PathBuf>,
    /// Whether contexts of labelled instances show the labels.
    pub labels: bool,
    /// What the names of the data files to read begin with: `validation`. None: the benchmark's usual ones.
    pub split: Option<String>,
    /// Whether malformed rows are left out and counted, instead of being an error.
    pub skip_malformed: bool,
    /// The name of the scorer of a user's own benchmark.
    pub scorer: Option<String>,
    /// Whether something outside of this crate scores in its place, so that it need not be able to.
    pub is_scored_outside: bool,
    /// Seed of generated samples: the same seed gives the same bytes.
    pub seed: u64,
    /// Lengths of generated contexts in characters, or of those that the data has in its tokens. Empty: the benchmark's
    /// default, or all.
    pub context_lengths: Vec<usize>,
    /// Samples to generate for each context length.
    pub tasks_per_length: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: None,
            labels: false,
            split: None,
            skip_malformed: false,
            scorer: None,
            is_scored_outside: false,
            seed: 0,
            context_lengths: Vec::new(),
            tasks_per_length: TASKS_PER_LENGTH,
        }
    }
}

impl Options {
    /// The folder or file of the benchmark's data.
    pub(crate) fn data(
        &self,
        benchmark: &'static str,
        wanted: &'static str,
    ) -> Result<&Path, OpenError> {
        self.data_dir
            .as_deref()
            .ok_or(OpenError::NeedsData { benchmark, wanted })
    }
}

/// Why a benchmark could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No benchmark has this name.
    #[error("unknown benchmark `{name}`; known are {}", known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// The benchmark reads files, and no folder was given.
    #[error("benchmark `{benchmark}` needs a data folder: {wanted}")]
    NeedsData {
        /// The benchmark.
        benchmark: &'static str,
        /// What the folder has to hold.
        wanted: &'static str,
    },
    /// No scorer has this name.
    #[error("unknown scorer `{name}`; known are {}", known.join(", "))]
    UnknownScorer {
        /// The name asked for.
        name: String,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// An option has a value that the benchmark cannot use.
    #[error("benchmark `{benchmark}`: {option} {value} is not possible, {wanted}")]
    Option {
        /// The benchmark.
        benchmark: &'static str,
        /// The option, in words.
        option: &'static str,
        /// Its value.
        value: usize,
        /// What would be right.
        wanted: String,
    },
    /// The benchmark's files cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// All benchmarks, by name. The list is written by `build.rs`.
pub fn catalog() -> &'static [Entry] {
    const CATALOG: &[Entry] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));
    CATALOG
}

/// The benchmark of this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    catalog().iter().find(|entry| entry.name == name)
}

/// Opens a benchmark by its name in the [`catalog`], or one's own by the path of its file or folder (see
/// [`is_path`](crate::is_path)).
///
/// # Errors
///
/// The name is unknown, an option is missing or impossible, or the benchmark's files cannot be read or are malformed.
pub fn open(name: &str, options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    match entry(name) {
        None if user_dataset::is_path(name) => user_dataset::open(Path::new(name), options),
        Some(entry) => (entry.open)(options),
        None => Err(OpenError::Unknown {
            name: name.to_owned(),
            known: catalog().iter().map(|entry| entry.name).collect(),
        }),
    }
}

/// A sample's right answer in plain, for a benchmark that keeps it encrypted in samples and records; none for any other.
pub fn decrypted_expected(benchmark: &str, expected: &Value) -> Option<Value> {
    entry(benchmark)?.plain_expected?(expected)
}
