//! Description of one benchmark of the catalog.

use serde_json::Value;

use crate::options::{OpenError, Options};
use crate::{Dataset, NamedScorer};

/// Description of a benchmark: the `ENTRY` of its folder.
#[derive(Debug)]
pub struct Entry {
    /// Name that [`open`](crate::open()) accepts: the folder's name, with `-` for `_`.
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
    /// Scripted models as YAML, each with its name: the benchmark's name, alone or with a suffix.
    /// Some of their answers are intentionally wrong.
    pub models: &'static [(&'static str, &'static str)],
    /// Ready-made sweeps as YAML, each with its name: the benchmark's name, alone or with a suffix.
    pub sweeps: &'static [(&'static str, &'static str)],
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
            models: &[],
            sweeps: &[],
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
