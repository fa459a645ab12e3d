//! Reads parts of trajectory files: an index by byte offset, and the texts that a page requests.

mod index;
mod outline;
mod page;

mod agent;
mod file_parts;
mod iteration_marks;

pub use index::{Index, Progress};
pub use outline::outline;
pub use page::{agent_texts, iterations};
