//! Reads or generates the inputs of a run's samples for the viewer, because run directories do not
//! store them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use benchmarks::{Dataset, Options, Sample};
use records::run_dir::RunDir;
use serde_json::Value;
use view::Inputs;

/// Opens the benchmarks of viewed runs, keeping the last one open.
#[derive(Default)]
pub(super) struct OfBenchmarks {
    /// Last opened dataset, with the recorded benchmark settings.
    opened: Mutex<Option<(Value, Arc<dyn Dataset>)>>,
}

impl fmt::Debug for OfBenchmarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfBenchmarks")
    }
}

impl Inputs for OfBenchmarks {
    /// Rejects data whose digest differs from that of the run, so that a run cannot make the viewer
    /// show other files.
    fn input(&self, run: &RunDir, sample: &str) -> Result<Sample, String> {
        let dataset = self.dataset(run)?;
        let wanted = &run.lock.run.dataset_digest;
        if dataset.digest() != wanted {
            return Err(format!(
                "The data of {} on this machine differs from the data of the run.",
                dataset.name()
            ));
        }
        let place = dataset.ids().iter().position(|id| id == sample);
        let place = place.ok_or("The benchmark does not have a sample with this id.")?;
        dataset.sample(place).map_err(|error| error.to_string())
    }
}

impl OfBenchmarks {
    fn dataset(&self, run: &RunDir) -> Result<Arc<dyn Dataset>, String> {
        let settings = &run.config["benchmark"];
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, dataset)) = opened.as_ref()
            && known == settings
        {
            return Ok(Arc::clone(dataset));
        }
        let name = settings["name"]
            .as_str()
            .ok_or("The run does not record how its benchmark was opened.")?;
        let dataset = benchmarks::open(name, &options(settings));
        let dataset: Arc<dyn Dataset> = Arc::from(dataset.map_err(|error| error.to_string())?);
        *opened = Some((settings.clone(), Arc::clone(&dataset)));
        Ok(dataset)
    }
}

/// Returns the options that `config.json` records.
fn options(settings: &Value) -> Options {
    let defaults = Options::default();
    let number = |name: &str| settings[name].as_u64();
    let whole = |number: u64| usize::try_from(number).ok();
    let lengths = settings["context_lengths"].as_array().into_iter().flatten();
    Options {
        data_dir: settings["data_dir"].as_str().map(Into::into),
        labels: settings["labels"] == true,
        split: settings["split"].as_str().map(str::to_owned),
        skip_malformed: settings["skip_malformed"] == true,
        scorer: None,
        // The viewer does not score.
        is_scored_outside: true,
        seed: number("seed").unwrap_or(defaults.seed),
        context_lengths: lengths
            .filter_map(|length| length.as_u64().and_then(whole))
            .collect(),
        tasks_per_length: number("tasks_per_length")
            .and_then(whole)
            .unwrap_or(defaults.tasks_per_length),
    }
}
