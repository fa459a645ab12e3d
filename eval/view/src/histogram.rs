//! Computes a histogram of a run's attempts. Bins have round edges and are split by score.

use serde::Serialize;

/// Maximum number of bins. One more is possible, because the first bin begins at a round value.
const MOST: f64 = 16.0;

/// Round bin widths of at least 10 seconds. All other widths are 1, 2 or 5 times a power of ten.
const ROUND_SECONDS: [f64; 13] = [
    10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 18_000.0, 36_000.0,
];

/// A bar of a histogram, split by score.
#[derive(Debug, PartialEq, Serialize)]
pub struct Bin {
    from: f64,
    to: f64,
    /// Number of attempts with a score of 1.
    right: u64,
    /// Number of attempts with a score below 1.
    wrong: u64,
    /// Number of attempts without a score.
    unscored: u64,
}

/// Counts values with their scores in bins of equal, round width. If all values are whole numbers,
/// the width is also a whole number. `unit` is `s` for seconds. Returns `None` if there are fewer
/// than two different values.
pub fn histogram(values: &[(f64, Option<f64>)], unit: &str) -> Option<Vec<Bin>> {
    let numbers = values.iter().map(|(value, _)| *value);
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
    if !low.is_finite() || !high.is_finite() || low >= high {
        return None;
    }
    let whole = numbers.clone().all(|value| value.fract() == 0.0);
    let width = if whole {
        round((high - low + 1.0) / MOST, unit).max(1.0)
    } else {
        round((high - low) / MOST, unit)
    };
    let first = (low / width).floor();
    let last = (high / width).floor().max(first);
    let mut bins: Vec<Bin> = std::iter::successors(Some(first), |bin| Some(bin + 1.0))
        .take_while(|bin| *bin <= last)
        .map(|bin| Bin {
            from: bin * width,
            to: (bin + 1.0) * width,
            right: 0,
            wrong: 0,
            unscored: 0,
        })
        .collect();
    for (value, score) in values {
        let place = bins.iter().rposition(|bin| *value >= bin.from).unwrap_or(0);
        match score {
            None => bins[place].unscored += 1,
            Some(score) if *score >= 1.0 => bins[place].right += 1,
            Some(_) => bins[place].wrong += 1,
        }
    }
    Some(bins)
}

/// Returns the smallest round number that is at least `least`.
fn round(least: f64, unit: &str) -> f64 {
    let of_seconds = ROUND_SECONDS.into_iter().find(|width| *width >= least);
    if let Some(width) = of_seconds.filter(|_| unit == "s" && least > 5.0) {
        return width;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    // Allow for rounding: the logarithm of a power of ten may slightly exceed a whole number.
    let found = steps
        .into_iter()
        .find(|width| *width >= least * (1.0 - 1e-9));
    found.unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::histogram;

    #[test]
    fn bins_have_round_edges() {
        let counts = |values: &[f64], unit| {
            let values: Vec<_> = values.iter().map(|value| (*value, Some(1.0))).collect();
            histogram(&values, unit).map(|bins| {
                let bins = bins.iter();
                bins.map(|bin| (bin.from, bin.right)).collect::<Vec<_>>()
            })
        };
        assert_eq!(counts(&[], ""), None);
        assert_eq!(counts(&[3.0, 3.0], ""), None);
        assert_eq!(
            counts(&[1.0, 2.0, 2.0, 4.0], ""),
            Some(vec![(1.0, 1), (2.0, 2), (3.0, 0), (4.0, 1)])
        );
        let wide: Vec<f64> = (3..103).map(f64::from).collect();
        let bins = counts(&wide, "").unwrap();
        assert_eq!(bins.first(), Some(&(0.0, 7)));
        assert_eq!(bins.last(), Some(&(100.0, 3)));
        assert!(
            bins[1..10].iter().all(|(_, count)| *count == 10),
            "{bins:?}"
        );
        let fractions = counts(&[0.1, 0.5, 1.0], "$").unwrap();
        assert_eq!(fractions.first(), Some(&(0.1, 1)));
        assert_eq!(fractions.iter().map(|(_, count)| count).sum::<u64>(), 3);
        let minutes = counts(&[3.5, 200.0, 700.0], "s").unwrap();
        assert_eq!(minutes.first(), Some(&(0.0, 1)));
        assert_eq!(minutes.last(), Some(&(660.0, 1)));
    }
}
