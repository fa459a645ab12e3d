//! Text utilities that are independent of models, for example for code blocks, YAML, name
//! suggestions, digests and truncation.

mod fence;
mod js_scan;
mod mark;

mod nearest;
mod reasoning;
mod truncate;
mod parts;

mod line_error;
mod sha256;
mod small_file;
pub mod yaml;

pub(crate) use fence::{StopWatch, code_blocks, foreign_language};
pub(crate) use line_error::LineError;
pub use mark::boundary;
pub(crate) use mark::{fence_mark, transcript_mark};
pub use nearest::nearest;
pub(crate) use nearest::{did_you_mean, hint_for_unknown};
pub(crate) use parts::parts;
pub(crate) use reasoning::split_reasoning;
pub use sha256::sha256_hex;
pub(crate) use small_file::sorted_paths;
pub use small_file::{MAX_RECORDING_BYTES, read_file, read_text, read_text_file};
pub(crate) use truncate::truncate_middle;
