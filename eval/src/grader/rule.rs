//! Adapts a scorer of the benchmarks crate to [`Grader`].

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::Scorer;
use serde_json::Value;

use super::{Grade, Grader, JudgeLog, ScorableAnswer};

/// A scorer of the benchmarks crate. Scoring fails for expected values that it does not support.
pub struct Rule {
    scorer: Arc<dyn Scorer>,
    is_benchmarks_own: bool,
}

impl Rule {
    /// Wraps the benchmark's own scorer.
    pub fn of_benchmark(scorer: Arc<dyn Scorer>) -> Self {
        Self {
            scorer,
            is_benchmarks_own: true,
        }
    }

    /// Wraps a scorer other than the benchmark's own.
    pub fn other(scorer: Arc<dyn Scorer>) -> Self {
        Self {
            scorer,
            is_benchmarks_own: false,
        }
    }
}

#[async_trait]
impl Grader for Rule {
    fn name(&self) -> &str {
        self.scorer.name()
    }

    fn identity(&self) -> Value {
        self.scorer.name().into()
    }

    fn is_benchmarks_own(&self) -> bool {
        self.is_benchmarks_own
    }

    async fn grade(&self, answered: &ScorableAnswer<'_>, _log: &dyn JudgeLog) -> Grade {
        if let Some(problem) = self.scorer.validate_expected(&answered.sample.expected) {
            return Grade::failed(format!("the sample's expected value {problem}"));
        }
        Grade::of(self.scorer.score(answered.answer, answered.sample))
    }
}
