//! Benchmarks: sources of samples, and scorers of their answers.
//!
//! A benchmark of the catalog is one folder here and one `mod` line below. The modules after those
//! lines are shared by several benchmarks.
//!
//! Invariants: this crate depends on no model, prompt or network. A scorer is a pure function of
//! the answer and the sample, and treats the answer as hostile: it takes linear time and never
//! panics.

mod image;

mod environment;

mod dataset;

mod options;
mod entry;
mod catalog;
mod open;

mod aime;
mod arc;
mod browsecomp_plus;
mod longbench_codeqa;
mod longbench_v2;
mod oolong;
mod oolong_pairs;
mod ruler_multi_key;
mod ruler_multi_query;
mod ruler_multi_value;
mod ruler_variable_tracking;
mod s_niah;
mod webapp;
mod webnav;

mod generated;
mod longbench;
mod user_dataset;
mod user_environment;
mod ruler;

mod contained;
mod context_file;
mod fields;
mod rows;
mod table;
mod template;

mod unicode;
mod decimal;
mod score;

pub use catalog::{catalog, decrypted_expected, entry, scorer, scorers};
pub use dataset::{Dataset, DatasetError, SampleMetadata};
pub use entry::{Entry, Fetch, SupportedOption};
pub use environment::{
    AppEnvironment, Check, ForeignOrigin, ServerCommand, Site, SiteRequest, SiteResponse,
    SiteSource, UserEnvironment, UserSite,
};
pub use generated::{CONTEXT_LENGTHS, MAX_CONTEXT_LENGTH, MIN_CONTEXT_LENGTH};
pub use image::{ImageError, MAX_IMAGES, decode_data_url, read_image};
pub use model::Sample;
pub use open::{is_path, open};
pub use options::{OpenError, Options, TASKS_PER_LENGTH};
pub use score::{
    Checks, Choice, Exact, NamedScorer, Needle, Numeric, OutsideScorer, PairF1, Pattern, Score,
    Scorer, ShortAnswer, StringMatch,
};
pub use user_environment::{document_uri, with_selection};

/// Whether this build can read Parquet files, which requires the feature `parquet`.
pub const READS_PARQUET: bool = cfg!(feature = "parquet");
