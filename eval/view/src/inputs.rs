//! Interface for reading the inputs of samples. The viewer does not depend on benchmarks; `eval`
//! implements the trait.

use std::fmt::Debug;

use model::Sample;
use records::run_dir::RunDir;

/// Source of samples' inputs, which are not part of run directories.
pub trait Inputs: Debug + Send + Sync {
    /// Returns a sample of a run, with its input.
    ///
    /// # Errors
    /// Returns the reason, as a sentence, why the input is not available, for example because the
    /// data is not on this machine.
    fn input(&self, run: &RunDir, sample: &str) -> Result<Sample, String>;
}
