//! Notes about intervals below tables: why a figure has none, and which intervals rely on few
//! samples.

use std::collections::BTreeSet;

use statistics::{Estimate, FEW_CLUSTERS, MIN_CLUSTERS, Paired};

/// Returns the notes about some figures, without duplicates, or nothing if every figure has an
/// interval from enough samples.
pub fn interval_notes<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> Vec<String> {
    notes(estimates.into_iter().map(|estimate| Figure {
        clusters: estimate.clusters,
        has_interval: estimate.interval.is_some(),
        has_few_clusters: estimate.has_few_clusters(),
    }))
}

/// Returns the notes for a group of differences.
pub fn difference_notes<'a>(differences: impl IntoIterator<Item = &'a Paired>) -> Vec<String> {
    notes(differences.into_iter().map(|paired| Figure {
        clusters: paired.clusters,
        has_interval: paired.interval().is_some(),
        has_few_clusters: paired.has_few_clusters(),
    }))
}

struct Figure {
    clusters: u64,
    has_interval: bool,
    has_few_clusters: bool,
}

fn notes(figures: impl Iterator<Item = Figure>) -> Vec<String> {
    let mut too_few = BTreeSet::new();
    let mut few = false;
    for figure in figures {
        if !figure.has_interval {
            too_few.insert(figure.clusters);
        }
        few |= figure.has_few_clusters;
    }
    let mut notes = Vec::new();
    if let (Some(least), Some(most)) = (too_few.first(), too_few.last()) {
        let counts = match (least, most) {
            (1, 1) => "1 independent sample is".to_owned(),
            (least, most) if least == most => format!("{most} independent samples are"),
            (least, most) => format!("{least} to {most} independent samples are"),
        };
        notes.push(format!(
            "No interval: {counts} too few; {MIN_CLUSTERS} are needed.\nMore attempts do not help."
        ));
    }
    if few {
        notes.push(format!(
            "Warning: intervals of fewer than {FEW_CLUSTERS} independent samples may be too narrow."
        ));
    }
    notes
}
