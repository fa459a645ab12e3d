//! The samples of the attempts that are left: each is made or read once, however many attempts share it, and kept no longer than
//! they need it.

use std::collections::HashMap;
use std::sync::Arc;

use benchmarks::{Dataset, DatasetError, Sample};
use parking_lot::Mutex;

/// A sample that may be there.
type Slot = Arc<Mutex<Option<Arc<Sample>>>>;

/// The samples of a run.
pub(super) struct SharedSamples {
    dataset: Arc<dyn Dataset>,
    /// By the sample's index: attempts at it that have not ended, and the sample once one of them has begun.
    left: Mutex<HashMap<usize, (usize, Slot)>>,
}

impl SharedSamples {
    /// The samples of these jobs, of which none is made or read yet.
    pub fn new(dataset: Arc<dyn Dataset>, jobs: &[(usize, u32)]) -> Self {
        let mut left: HashMap<usize, (usize, Slot)> = HashMap::new();
        for (index, _) in jobs {
            left.entry(*index).or_default().0 += 1;
        }
        Self {
            dataset,
            left: Mutex::new(left),
        }
    }

    /// The sample at this index.
    ///
    /// # Errors
    /// Those of [`Dataset::sample`].
    pub fn get(&self, index: usize) -> Result<Arc<Sample>, DatasetError> {
        let slot = {
            let left = self.left.lock();
            left.get(&index).map(|(_, slot)| Arc::clone(slot))
        };
        let slot = slot.unwrap_or_default();
        // Held while it is made, so that two attempts do not make it twice.
        let mut slot = slot.lock();
        if let Some(sample) = &*slot {
            return Ok(Arc::clone(sample));
        }
        let sample = Arc::new(self.dataset.sample(index)?);
        *slot = Some(Arc::clone(&sample));
        Ok(sample)
    }

    /// An attempt at the sample ended; after the last one it is let go.
    pub fn ended(&self, index: usize) {
        let mut left = self.left.lock();
        if let Some((jobs, _)) = left.get_mut(&index) {
            *jobs = jobs.saturating_sub(1);
            if *jobs == 0 {
                left.remove(&index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use benchmarks::{Exact, SampleMetadata, Scorer};
    use serde_json::Value;

    use super::*;

    /// Samples that count how often they are made.
    struct Counted(Vec<String>, AtomicUsize);

    impl Dataset for Counted {
        fn name(&self) -> &'static str {
            "counted"
        }

        fn digest(&self) -> &'static str {
            ""
        }

        fn ids(&self) -> &[String] {
            &self.0
        }

        fn facts(&self, _: usize) -> SampleMetadata {
            SampleMetadata::new()
        }

        fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            Ok(Sample {
                id: self.0[index].clone(),
                query: String::new(),
                context: "context".to_owned().into(),
                follow_ups: Vec::new(),
                images: Vec::new(),
                expected: Value::Null,
                metadata: SampleMetadata::new(),
                cluster: None,
            })
        }

        fn scorer(&self) -> Arc<dyn Scorer> {
            Arc::new(Exact)
        }
    }

    #[test]
    fn a_sample_is_made_once_and_let_go_after_its_last_attempt() {
        let ids = vec!["a".to_owned(), "b".to_owned()];
        let dataset = Arc::new(Counted(ids, AtomicUsize::new(0)));
        let jobs = [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)];
        let samples = SharedSamples::new(Arc::clone(&dataset) as Arc<dyn Dataset>, &jobs);
        for (index, attempt) in jobs {
            let sample = samples.get(index).unwrap();
            let weak = Arc::downgrade(&sample);
            drop(sample);
            samples.ended(index);
            // One that ends while others are to come leaves it there.
            assert_eq!(weak.upgrade().is_some(), attempt < 3, "{index} {attempt}");
        }
        assert_eq!(dataset.1.load(Ordering::SeqCst), 2);
    }
}
