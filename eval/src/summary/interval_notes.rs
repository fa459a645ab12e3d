//! What tables say below them of their intervals: why some figures have none, and which are approximate.

use std::collections::BTreeSet;

use crate::statistics::{Estimate, FEW_CLUSTERS, MIN_CLUSTERS, NoInterval};

/// Each reason once, as a sentence. Empty if every figure has an interval of enough samples.
pub fn interval_notes<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> Vec<String> {
    let mut too_few = BTreeSet::new();
    let (mut alike, mut approximate) = (false, false);
    for estimate in estimates {
        match estimate.no_interval() {
            Some(NoInterval::TooFew { clusters }) => {
                too_few.insert(clusters);
            }
            Some(NoInterval::AllAlike) => alike = true,
            None => approximate |= estimate.is_approximate(),
        }
    }
    let mut notes = Vec::new();
    if let (Some(least), Some(most)) = (too_few.first(), too_few.last()) {
        let counts = match (least, most) {
            (1, 1) => "1 independent sample is".to_owned(),
            (least, most) if least == most => format!("{most} independent samples are"),
            (least, most) => format!("{least} to {most} independent samples are"),
        };
        notes.push(format!(
            "No interval: {counts} too few; {MIN_CLUSTERS} are needed."
        ));
    }
    if alike {
        notes.push("No interval: all samples score the same, which shows no variance.".to_owned());
    }
    if approximate {
        notes.push(format!(
            "With fewer than {FEW_CLUSTERS} independent samples, intervals are approximate."
        ));
    }
    notes
}
