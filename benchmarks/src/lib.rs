//! Benchmarks: where samples come from and how their answers are scored.
//!
//! Architecture invariant: nothing here knows a model, a prompt or a network. A scorer is a pure function of the
//! answer and the sample, and treats the answer as hostile: it takes linear time and never panics.

mod image;
mod sample;

mod dataset;

mod arc;
mod browsecomp;
mod generated;
mod longbench;
mod oolong;
mod oolong_pairs;
mod own;
mod ruler;
mod s_niah;
mod short_math;
mod webapp;
mod webnav;

mod rows;
mod table;
mod template;

mod score;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use arc::ARC;
pub use dataset::{Dataset, DatasetError, Facts};
pub use image::{Image, ImageError};
pub use own::is_path;
pub use s_niah::{
    CONTEXT_LENGTHS, MAX_CONTEXT_LENGTH, MIN_CONTEXT_LENGTH, S_NIAH, TASKS_PER_LENGTH,
};
pub use sample::Sample;
pub use score::{
    AppState, ArcGrid, Choice, Exact, Needle, Numeric, Oolong, OutsideScorer, PairF1, SCORERS,
    Score, Scorer, ShortAnswer, StringMatch, WebState, scorer,
};
pub use webapp::{AppWorld, WEBAPP};
pub use webnav::{Answered, Asked, WEBNAV, World};

/// One line of the catalog.
#[derive(Debug)]
pub struct Entry {
    /// What [`open`] takes: `s-niah`.
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
    open: fn(&Options) -> Result<Box<dyn Dataset>, OpenError>,
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
    /// What a benchmark of one's own goes by.
    pub const OWN: &'static [Self] = ROWS;
}

/// What generated benchmarks with a context go by.
const GENERATED: &[Reads] = &[Reads::ContextLengths, Reads::TasksPerLength, Reads::Seed];

/// What benchmarks go by that are files of rows.
const ROWS: &[Reads] = &[Reads::Split, Reads::SkipMalformed];

/// And those of OOLONG.
const WINDOWS: &[Reads] = &[
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
    /// Whether the contexts of `oolong` and `oolong-pairs` tell each instance's label.
    pub labels: bool,
    /// What the names of the data files to read begin with: `validation`. None: the benchmark's usual ones.
    pub split: Option<String>,
    /// Whether malformed rows are left out and counted, instead of being an error.
    pub skip_malformed: bool,
    /// The name of the scorer of a benchmark of one's own.
    pub scorer: Option<String>,
    /// Seed of generated samples: the same seed gives the same bytes.
    pub seed: u64,
    /// Lengths of generated contexts in characters, and for `oolong` and `oolong-pairs` in tokens as the data has them. Empty:
    /// the benchmark's default, or all.
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
            seed: 0,
            context_lengths: Vec::new(),
            tasks_per_length: TASKS_PER_LENGTH,
        }
    }
}

impl Options {
    /// The folder or file of the benchmark's data.
    fn data(&self, benchmark: &'static str, wanted: &'static str) -> Result<&Path, OpenError> {
        self.data_dir
            .as_deref()
            .ok_or(OpenError::NeedsData { benchmark, wanted })
    }
}

/// Why a benchmark could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No benchmark has this name.
    #[error(
        "unknown benchmark `{name}`{}; known are {}",
        nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default(),
        known.join(", ")
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known name most like it, where one is like it at all.
        nearest: Option<&'static str>,
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

/// All benchmarks, by name.
pub fn catalog() -> &'static [Entry] {
    const CATALOG: &[Entry] = &[
        Entry {
            name: short_math::AIME,
            summary: "AIME: short-answer mathematics, a control without context",
            scorer: Numeric::NAME,
            source: "any rows of id, problem, answer, as in math-ai/aime25",
            licence: "see the source",
            size: "30 a year",
            needs_data: true,
            reads: ROWS,
            open: short_math::open,
        },
        Entry {
            name: ARC,
            summary: "ARC-AGI-1 and -2: find the rule behind pairs of grids and apply it",
            scorer: ArcGrid::NAME,
            source: "github.com/fchollet/ARC-AGI, github.com/arcprize/ARC-AGI-2",
            licence: "Apache-2.0",
            size: "400 (AGI-1) or 120 (AGI-2) for evaluation",
            needs_data: true,
            reads: &[Reads::Split],
            open: arc::open,
        },
        Entry {
            name: browsecomp::BROWSECOMP_PLUS,
            summary: "BrowseComp-Plus: research questions over a fixed set of web pages, encrypted",
            scorer: ShortAnswer::NAME,
            source: "huggingface.co/datasets/Tevatron/browsecomp-plus",
            licence: "MIT",
            size: "830",
            needs_data: true,
            reads: &[Reads::Seed, Reads::Split, Reads::SkipMalformed],
            open: browsecomp::open,
        },
        Entry {
            name: longbench::CODEQA,
            summary: "LongBench-v2: multiple choice about code repositories",
            scorer: Choice::NAME,
            source: "huggingface.co/datasets/zai-org/LongBench-v2",
            licence: "Apache-2.0",
            size: "50",
            needs_data: true,
            reads: ROWS,
            open: longbench::codeqa,
        },
        Entry {
            name: longbench::ALL,
            summary: "LongBench-v2: multiple choice about long texts of six domains",
            scorer: Choice::NAME,
            source: "huggingface.co/datasets/zai-org/LongBench-v2",
            licence: "Apache-2.0",
            size: "503",
            needs_data: true,
            reads: ROWS,
            open: longbench::all,
        },
        Entry {
            name: oolong::OOLONG,
            summary: "OOLONG-synth: counts and comparisons over a long list of labelled instances",
            scorer: Oolong::NAME,
            source: "huggingface.co/datasets/oolongbench/oolong-synth",
            licence: "see the source",
            size: "5,200 for test",
            needs_data: true,
            reads: WINDOWS,
            open: oolong::open,
        },
        Entry {
            name: oolong_pairs::OOLONG_PAIRS,
            summary: "OOLONG-Pairs: all pairs of users that fulfil a condition",
            scorer: PairF1::NAME,
            source: "huggingface.co/datasets/oolongbench/oolong-synth, tasks of arxiv.org/abs/2512.24601",
            licence: "see the source",
            size: "20 a window",
            needs_data: true,
            reads: WINDOWS,
            open: oolong_pairs::open,
        },
        Entry {
            name: ruler::MULTI_KEY,
            summary: "RULER multi-key: find one number in a context of nothing but such numbers",
            scorer: StringMatch::ALL,
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: GENERATED,
            open: ruler::multi_key,
        },
        Entry {
            name: ruler::MULTI_QUERY,
            summary: "RULER multi-query: find the numbers of four names",
            scorer: StringMatch::ALL,
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: GENERATED,
            open: ruler::multi_query,
        },
        Entry {
            name: ruler::MULTI_VALUE,
            summary: "RULER multi-value: find all four numbers of one name",
            scorer: StringMatch::ALL,
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: GENERATED,
            open: ruler::multi_value,
        },
        Entry {
            name: ruler::VARIABLE_TRACKING,
            summary: "RULER variable tracking: find all variables that get a value by way of others",
            scorer: StringMatch::ALL,
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: GENERATED,
            open: ruler::variable_tracking,
        },
        Entry {
            name: S_NIAH,
            summary: "single needle in a haystack: find one number in 8K to 1M characters of generated text",
            scorer: Needle::NAME,
            source: "generated from --seed",
            licence: "MIT",
            size: "any",
            needs_data: false,
            reads: GENERATED,
            open: s_niah::open,
        },
        Entry {
            name: WEBAPP,
            summary: "web apps: build an app that passes a check in a real browser, with documents that only apps may read",
            scorer: AppState::NAME,
            source: "part of this program",
            licence: "MIT",
            size: "19",
            needs_data: false,
            reads: &[],
            open: webapp::open,
        },
        Entry {
            name: WEBNAV,
            summary: "web navigation: tasks on small sites in a real browser, judged by what the server received",
            scorer: WebState::NAME,
            source: "generated from --seed",
            licence: "MIT",
            size: "36",
            needs_data: false,
            reads: &[Reads::Seed],
            open: webnav::open,
        },
    ];
    CATALOG
}

/// Opens a benchmark by its name in the [`catalog`], or one's own by the path of its file or folder (see [`is_path`]).
///
/// # Errors
///
/// The name is unknown, an option is missing or impossible, or the benchmark's files cannot be read or are malformed.
pub fn open(name: &str, options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    match catalog().iter().find(|entry| entry.name == name) {
        None if is_path(name) => own::open(Path::new(name), options),
        Some(entry) => (entry.open)(options),
        None => Err(OpenError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name),
            known: catalog().iter().map(|entry| entry.name).collect(),
        }),
    }
}

/// A sample's right answer in plain, for a benchmark that keeps it encrypted in samples and records; none for any other.
pub fn decrypted_expected(benchmark: &str, expected: &Value) -> Option<Value> {
    (benchmark == browsecomp::BROWSECOMP_PLUS)
        .then(|| browsecomp::decrypted_expected(expected))
        .flatten()
}

/// The known name most like `name`. Jaro-Winkler favours a common beginning, so `arc-agi-2` finds `arc`; at a
/// likeness below 0.7 a suggestion would only mislead.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    catalog()
        .iter()
        .map(|entry| (strsim::jaro_winkler(&name, entry.name), entry.name))
        .filter(|(likeness, _)| *likeness >= 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}
