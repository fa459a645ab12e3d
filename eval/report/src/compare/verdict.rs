//! Summarizes a comparison in sentences.

use statistics::MIN_CLUSTERS;

use super::RunPair;
use super::difference::{Difference, SIGNIFICANT, p_text};
use crate::summary::difference_notes;

/// Result of testing a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finding {
    SecondBetter,
    FirstBetter,
    Nothing,
    Untested,
}

/// Returns the sentences below a comparison's table. `corrected` is whether the p value was
/// corrected over several comparisons.
pub fn verdict(pair: &RunPair, corrected: bool) -> Vec<String> {
    let RunPair { first, second, .. } = pair;
    let (Some(excluded), Some(zero)) = (&pair.errors_excluded, &pair.errors_as_zero) else {
        return vec![format!(
            "{second} and {first} have no scored sample in common."
        )];
    };
    let mut sentences = Vec::new();
    let (found, with_errors) = (finding(excluded), finding(zero));
    if found == with_errors {
        sentences.push(sentence(pair, found, excluded, corrected));
    } else {
        sentences.push(format!(
            "Errors excluded: {}",
            sentence(pair, found, excluded, corrected)
        ));
        sentences.push(format!(
            "Errors as zero: {}",
            sentence(pair, with_errors, zero, corrected)
        ));
    }
    if pair.same_fingerprint == Some(true) {
        sentences.push(format!(
            "{first} and {second} have the same fingerprint: they are the same experiment, and differ by chance."
        ));
    }
    sentences
}

/// Returns cautions about the intervals of a group of comparisons.
pub fn cautions<'a>(pairs: impl IntoIterator<Item = &'a RunPair>) -> Vec<String> {
    let ways = pairs
        .into_iter()
        .flat_map(|pair| [&pair.errors_excluded, &pair.errors_as_zero]);
    difference_notes(ways.flatten().map(|way| &way.paired))
}

fn finding(difference: &Difference) -> Finding {
    match difference.p_holm {
        None => Finding::Untested,
        Some(p) if p >= SIGNIFICANT => Finding::Nothing,
        Some(_) if difference.paired.difference > 0.0 => Finding::SecondBetter,
        Some(_) => Finding::FirstBetter,
    }
}

fn sentence(pair: &RunPair, finding: Finding, difference: &Difference, corrected: bool) -> String {
    let RunPair { first, second, .. } = pair;
    let test = difference.method();
    let p = difference.p_holm.map(p_text).unwrap_or_default();
    let p = if corrected {
        format!("{test}, p {p} after Holm")
    } else {
        format!("{test}, p {p}")
    };
    let paired = &difference.paired;
    match finding {
        Finding::SecondBetter => format!("{second} is better than {first} ({p})."),
        Finding::FirstBetter => format!("{first} is better than {second} ({p})."),
        Finding::Nothing => {
            let varies = paired.standard_error.is_some_and(|error| error > 0.0);
            let found = match difference.detectable {
                Some(size) => {
                    format!(" A difference of {size:.3} would be found 4 times out of 5.")
                }
                None if varies || paired.mcnemar_p.is_some() => {
                    " With so few samples no difference, however large, would be found 4 times out of 5."
                        .to_owned()
                }
                // If no detectable difference was computed, the variance is unknown.
                None => String::new(),
            };
            format!("No difference is shown between {second} and {first} ({p}).{found}")
        }
        Finding::Untested => format!(
            "The difference between {second} and {first} cannot be tested: that requires at least {MIN_CLUSTERS} independent samples."
        ),
    }
}
