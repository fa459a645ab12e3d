//! Where the inputs of samples come from: the viewer knows no benchmark, so a trait that `eval` implements.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use model::Image;
use records::run_dir::RunDir;
use serde_json::Value;

/// What a sample was asked, and about what.
#[derive(Debug)]
pub struct Input {
    /// What was asked.
    pub query: String,
    /// What the user says after it.
    pub follow_ups: Vec<String>,
    /// What it was asked about.
    pub context: Arc<String>,
    /// What was shown with the question.
    pub images: Vec<Image>,
    /// Facts about the sample.
    pub metadata: BTreeMap<String, Value>,
}

/// Where inputs come from: runs do not record them, and the viewer knows no benchmark.
pub trait Inputs: Debug + Send + Sync {
    /// The input of a sample of a run.
    ///
    /// # Errors
    /// A sentence that says why there is none, such as data that is not on this machine.
    fn input(&self, run: &RunDir, sample: &str) -> Result<Input, String>;
}
