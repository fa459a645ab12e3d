//! Shares samples between the attempts of a run. A sample is loaded once and dropped after its last
//! attempt.

use std::collections::HashMap;
use std::sync::Arc;

use benchmarks::{Dataset, DatasetError, Sample};
use parking_lot::Mutex;

/// A sample, or `None` before it is loaded.
type Slot = Arc<Mutex<Option<Arc<Sample>>>>;

/// Samples of a run.
pub(super) struct SharedSamples {
    dataset: Arc<dyn Dataset>,
    /// For each sample index, the number of unfinished attempts and the sample once it is loaded.
    left: Mutex<HashMap<usize, (usize, Slot)>>,
}

impl SharedSamples {
    /// Prepares the samples of these jobs without loading them.
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

    /// Returns the sample at this index, loading it if necessary.
    ///
    /// # Errors
    /// Like [`Dataset::sample`].
    pub fn get(&self, index: usize) -> Result<Arc<Sample>, DatasetError> {
        let slot = {
            let left = self.left.lock();
            left.get(&index).map(|(_, slot)| Arc::clone(slot))
        };
        let slot = slot.unwrap_or_default();
        // Hold the lock while loading, so that a sample is not loaded twice.
        let mut slot = slot.lock();
        if let Some(sample) = &*slot {
            return Ok(Arc::clone(sample));
        }
        let sample = Arc::new(self.dataset.sample(index)?);
        *slot = Some(Arc::clone(&sample));
        Ok(sample)
    }

    /// Records that an attempt at the sample has ended. Drops the sample after its last attempt.
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

    use super::*;

    /// Dataset that counts its loads of samples.
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

        fn metadata(&self, _: usize) -> SampleMetadata {
            SampleMetadata::new()
        }

        fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            Ok(Sample {
                id: self.0[index].clone(),
                context: "context".to_owned().into(),
                ..Sample::default()
            })
        }

        fn scorer(&self) -> Arc<dyn Scorer> {
            Arc::new(Exact)
        }
    }

    #[test]
    fn samples_are_loaded_once_and_dropped_after_the_last_attempt() {
        let ids = vec!["a".to_owned(), "b".to_owned()];
        let dataset = Arc::new(Counted(ids, AtomicUsize::new(0)));
        let jobs = [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)];
        let samples = SharedSamples::new(Arc::clone(&dataset) as Arc<dyn Dataset>, &jobs);
        for (index, attempt) in jobs {
            let sample = samples.get(index).unwrap();
            let weak = Arc::downgrade(&sample);
            drop(sample);
            samples.ended(index);
            // A sample stays loaded while further attempts need it.
            assert_eq!(weak.upgrade().is_some(), attempt < 3, "{index} {attempt}");
        }
        assert_eq!(dataset.1.load(Ordering::SeqCst), 2);
    }
}
