//! The catalog: descriptions of all benchmarks, options for opening one, and lookup by name.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::generated::TASKS_PER_LENGTH;
use crate::{Dataset, DatasetError, NamedScorer, user_dataset};

/// Description of a benchmark: the `ENTRY` of its folder.
#[derive(Debug)]
pub struct Entry {
    /// Name that [`open`] accepts: the folder's name, with `-` for `_`.
    pub name: &'static str,
    /// One-line summary of the task.
    pub summary: &'static str,
    /// Name of the benchmark's scorer, including the version: `needle/1`.
    pub scorer: &'static str,
    /// Source of the data.
    pub source: &'static str,
    /// License of the data.
    pub license: &'static str,
    /// Number of samples, in words.
    pub size: &'static str,
    /// Whether [`Options::data_dir`] must be given.
    pub needs_data: bool,
    /// Options that the benchmark uses besides [`Options::data_dir`].
    pub reads: &'static [SupportedOption],
    /// Scripted model with the benchmark's name, as YAML. Some of its answers are intentionally
    /// wrong.
    pub model: &'static str,
    /// Further scripted models, each with the suffix that its name adds to the benchmark's, and the
    /// YAML.
    pub more_models: &'static [(&'static str, &'static str)],
    /// Ready-made sweep, as YAML.
    pub sweep: Option<&'static str>,
    /// Further ready-made sweeps, each with the suffix that its name adds to the benchmark's, and
    /// the YAML.
    pub more_sweeps: &'static [(&'static str, &'static str)],
    /// Download location of the data.
    pub fetch: Option<Fetch>,
    /// Scorer defined by this benchmark; other benchmarks may also use it.
    pub own_scorer: Option<NamedScorer>,
    /// Function that decrypts an expected answer, if samples and records keep it encrypted.
    pub plain_expected: Option<fn(&Value) -> Option<Value>>,
    pub(crate) open: Open,
}

pub(crate) type Open = fn(&Options) -> Result<Box<dyn Dataset>, OpenError>;

impl Entry {
    /// Returns the ready-made sweeps with their names: the benchmark's name, alone or with a
    /// suffix.
    pub fn sweeps(&self) -> impl Iterator<Item = (String, &'static str)> {
        let own = self.sweep.map(|sweep| (self.name.to_owned(), sweep));
        let more = self.more_sweeps.iter();
        own.into_iter()
            .chain(more.map(|(ending, sweep)| (format!("{}-{ending}", self.name), *sweep)))
    }

    /// Returns the defaults of benchmarks that are generated from a seed. `build.rs` adds the files
    /// of each folder.
    pub(crate) const fn generated(open: Open) -> Self {
        Self {
            name: "",
            summary: "",
            scorer: "",
            source: "generated from --seed",
            license: "MIT",
            size: "any",
            needs_data: false,
            reads: &[
                SupportedOption::ContextLengths,
                SupportedOption::SamplesPerLength,
                SupportedOption::Seed,
            ],
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

    /// Returns the defaults of benchmarks that are read from files of rows.
    pub(crate) const fn rows(open: Open) -> Self {
        Self {
            license: "see the source",
            needs_data: true,
            reads: SupportedOption::OWN,
            ..Self::generated(open)
        }
    }
}

/// Download location of data, for callers that may use the network.
#[derive(Debug)]
pub struct Fetch {
    /// JSON: `{"hub": {"repo", "revision", "begins"}}` for a Hugging Face dataset, `{"files":
    /// {"address"}}` for files below an address.
    pub source: &'static str,
    /// Checksums of the downloaded files, in the format of `sha256sum`.
    pub checksums: Option<&'static str>,
}

/// An option that only some benchmarks use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupportedOption {
    /// [`Options::context_lengths`].
    ContextLengths,
    /// [`Options::tasks_per_length`].
    SamplesPerLength,
    /// [`Options::seed`].
    Seed,
    /// [`Options::labels`].
    Labels,
    /// [`Options::split`].
    Split,
    /// [`Options::skip_malformed`].
    SkipMalformed,
}

impl SupportedOption {
    /// Options of a user-supplied benchmark.
    pub const OWN: &'static [Self] = &[Self::Split, Self::SkipMalformed];
}

/// Options of benchmarks whose data contains context windows of several lengths, with and without
/// labels.
pub(crate) const WINDOWS: &[SupportedOption] = &[
    SupportedOption::ContextLengths,
    SupportedOption::Labels,
    SupportedOption::Split,
    SupportedOption::SkipMalformed,
];

/// Options for opening a benchmark. Each benchmark reads the options that it supports and ignores
/// the others.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder or file of the benchmark's data; required if [`Entry::needs_data`] is true.
    pub data_dir: Option<PathBuf>,
    /// Whether contexts that list labeled instances include the labels.
    pub labels: bool,
    /// Prefix of the names of the data files to read, such as `validation`. `None`: the benchmark's
    /// usual files.
    pub split: Option<String>,
    /// Whether malformed rows are skipped and counted instead of being an error.
    pub skip_malformed: bool,
    /// Name of the scorer to use for a user-supplied benchmark.
    pub scorer: Option<String>,
    /// Whether a scorer outside this crate is used. The benchmark's scorer then need not accept the
    /// expected values.
    pub is_scored_outside: bool,
    /// Seed of generated samples; the same seed generates the same bytes.
    pub seed: u64,
    /// Lengths of generated contexts in characters, or of existing contexts in tokens as stated in
    /// the data. If empty, contexts are generated in the default lengths, or all existing ones are
    /// used.
    pub context_lengths: Vec<usize>,
    /// Number of samples to generate for each context length.
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
    /// Returns [`Options::data_dir`], or an error that says what the benchmark needs.
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

/// Reason why a benchmark cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No benchmark has this name.
    #[error("unknown benchmark `{name}`; expected one of {}", known.join(", "))]
    Unknown {
        /// Requested name.
        name: String,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// The benchmark reads files, but no file or folder was given.
    #[error("benchmark `{benchmark}` needs a data folder: {wanted}")]
    NeedsData {
        /// Name of the benchmark.
        benchmark: &'static str,
        /// What the file or folder must contain.
        wanted: &'static str,
    },
    /// No scorer has this name.
    #[error("unknown scorer `{name}`; expected one of {}", known.join(", "))]
    UnknownScorer {
        /// Requested name.
        name: String,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// The value of an option is invalid for this benchmark.
    #[error("benchmark `{benchmark}`: invalid {option} {value}: expected {wanted}")]
    Option {
        /// Name of the benchmark.
        benchmark: &'static str,
        /// Display name of the option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// What would be valid.
        wanted: String,
    },
    /// The benchmark's files cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// Returns all benchmarks, sorted by name. `build.rs` generates the list.
pub fn catalog() -> &'static [Entry] {
    const CATALOG: &[Entry] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));
    CATALOG
}

/// Returns the benchmark with this name, if there is one.
pub fn entry(name: &str) -> Option<&'static Entry> {
    catalog().iter().find(|entry| entry.name == name)
}

/// Opens a benchmark by its name in the [`catalog`], or a user-supplied one by the path of its file
/// or folder (see [`is_path`](crate::is_path)).
///
/// # Errors
///
/// If the name is unknown, an option is missing or invalid, or the benchmark's files cannot be read
/// or are malformed.
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

/// Decrypts the expected answer of a sample. Returns `None` if the benchmark does not encrypt its
/// answers, or if this one cannot be decrypted.
pub fn decrypted_expected(benchmark: &str, expected: &Value) -> Option<Value> {
    entry(benchmark)?.plain_expected?(expected)
}
