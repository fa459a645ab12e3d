//! A rule of the benchmarks as a scorer of runs.

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::Scorer;
use serde_json::Value;

use super::{Answered, Grade, Grader};

/// A rule, which never fails.
pub struct Rule(pub Arc<dyn Scorer>);

#[async_trait]
impl Grader for Rule {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn identity(&self) -> Value {
        self.0.name().into()
    }

    async fn grade(&self, answered: &Answered<'_>) -> Grade {
        Grade::of(self.0.score(answered.answer, answered.sample))
    }
}
