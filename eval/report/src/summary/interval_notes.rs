//! Notes below tables about intervals: why some figures have none, and which are approximate.

use std::collections::BTreeSet;

use statistics::{Estimate, FEW_CLUSTERS, MIN_ALONE, MIN_CLUSTERS, NoInterval, Paired};

/// Returns each reason once, as a sentence. Empty if every figure has an interval from enough
/// samples.
pub fn interval_notes<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> Vec<String> {
    let estimates = estimates.into_iter();
    notes(
        estimates.map(|estimate| (estimate.no_interval(), estimate.is_approximate())),
        "all samples score the same",
    )
}

/// Returns the notes for differences that are shown together.
pub fn difference_notes<'a>(differences: impl IntoIterator<Item = &'a Paired>) -> Vec<String> {
    let differences = differences.into_iter();
    notes(
        differences.map(|paired| (paired.no_interval(), paired.is_approximate())),
        "the difference is the same in all samples",
    )
}

/// Returns the notes for figures, given for each why it lacks an interval and whether its interval
/// is approximate.
fn notes(
    figures: impl Iterator<Item = (Option<NoInterval>, bool)>,
    what_is_alike: &str,
) -> Vec<String> {
    let mut too_few = BTreeSet::new();
    let (mut alike, mut approximate) = (false, false);
    for (no_interval, is_approximate) in figures {
        match no_interval {
            Some(NoInterval::TooFew { clusters }) => {
                too_few.insert(clusters);
            }
            Some(NoInterval::AllAlike) => alike = true,
            None => approximate |= is_approximate,
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
        notes.push(format!(
            "More attempts do not help. If each is one answer, right or wrong, {MIN_ALONE} are enough."
        ));
    }
    if alike {
        notes.push(format!(
            "No interval: {what_is_alike}, which shows no variance."
        ));
    }
    if approximate {
        notes.push(format!(
            "With fewer than {FEW_CLUSTERS} independent samples, intervals are approximate."
        ));
    }
    notes
}
