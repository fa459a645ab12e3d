//! Which samples of a dataset a run takes.

use benchmarks::Dataset;

use crate::settings::Selection;

/// The chosen samples, as indices into the dataset, and what the user should know of the choice.
#[derive(Debug, PartialEq, Eq)]
pub struct Selected {
    /// In the order of the run.
    pub indices: Vec<usize>,
    /// Notes for stderr.
    pub notes: Vec<String>,
}

/// A sample that was asked for does not exist.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("--selected-problems: benchmark {benchmark} has no sample `{id}`{}", match (.nearest, .first) {
    (Some(nearest), _) => format!(", did you mean `{nearest}`?"),
    (None, Some(first)) => format!("; its first is `{first}`"),
    (None, None) => "; it has none".to_owned(),
})]
pub struct UnknownSample {
    benchmark: String,
    id: String,
    nearest: Option<String>,
    first: Option<String>,
}

/// Chooses samples: those named, else those that the model has recorded, else all; of these the first
/// `max_tasks`.
///
/// # Errors
/// [`UnknownSample`] for a name that the dataset lacks. The benchmark's prefix of an id may be left out.
pub fn select(
    dataset: &dyn Dataset,
    selection: &Selection,
    recorded: Option<&[String]>,
) -> Result<Selected, UnknownSample> {
    let ids = dataset.ids();
    let position = |id: &str| ids.iter().position(|known| known == id);
    let mut notes = Vec::new();
    let mut indices: Vec<usize> = if !selection.ids.is_empty() {
        let named = selection.ids.iter().map(|id| {
            let full = format!("{}-{id}", dataset.name());
            position(id)
                .or_else(|| position(&full))
                .ok_or_else(|| UnknownSample {
                    benchmark: dataset.name().to_owned(),
                    id: id.clone(),
                    nearest: nearest(id, dataset),
                    first: ids.first().cloned(),
                })
        });
        named.collect::<Result<_, _>>()?
    } else if let Some(recorded) = recorded {
        let found: Vec<usize> = recorded.iter().filter_map(|id| position(id)).collect();
        notes.push(format!(
            "replaying the {} of the recording that {} has; choose others with --selected-problems",
            samples(found.len()),
            dataset.name()
        ));
        if found.len() < recorded.len() {
            notes.push(format!(
                "left out of the replay, for this dataset lacks them: {}",
                samples(recorded.len() - found.len())
            ));
        }
        found
    } else {
        (0..ids.len()).collect()
    };
    let mut seen = std::collections::HashSet::new();
    indices.retain(|index| seen.insert(*index));
    indices.truncate(selection.max_tasks.unwrap_or(usize::MAX));
    Ok(Selected { indices, notes })
}

/// `1 sample`, `20 samples`.
fn samples(count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} sample{s}")
}

/// The sample most like `id`, which may leave out the benchmark's prefix.
fn nearest(id: &str, dataset: &dyn Dataset) -> Option<String> {
    let prefix = format!("{}-", dataset.name());
    let likeness = |known: &str| {
        let short = known.strip_prefix(&prefix).unwrap_or(known);
        strsim::jaro_winkler(id, known).max(strsim::jaro_winkler(id, short))
    };
    dataset
        .ids()
        .iter()
        .map(|known| (likeness(known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.7)
        .map(|(_, known)| known.clone())
}
