//! Interface for reading the inputs of samples. The viewer does not depend on benchmarks; `eval`
//! implements the trait.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use model::Image;
use records::run_dir::RunDir;
use serde_json::Value;

/// The input of a sample.
#[derive(Debug)]
pub struct Input {
    /// The question.
    pub query: String,
    /// Follow-up messages of the user.
    pub follow_ups: Vec<String>,
    /// Context of the question.
    pub context: Arc<String>,
    /// Images that belong to the question.
    pub images: Vec<Image>,
    /// Metadata of the sample.
    pub metadata: BTreeMap<String, Value>,
}

/// Source of samples' inputs, which are not part of run directories.
pub trait Inputs: Debug + Send + Sync {
    /// Returns the input of a sample in a run.
    ///
    /// # Errors
    /// Returns the reason, as a sentence, why the input is not available, for example because the
    /// data is not on this machine.
    fn input(&self, run: &RunDir, sample: &str) -> Result<Input, String>;
}
