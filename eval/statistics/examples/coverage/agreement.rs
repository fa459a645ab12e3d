//! Checks on random comparisons that the significance test and the confidence interval agree: p is
//! below 0.05 if and only if the interval excludes 0.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statistics::{Pair, paired};

struct Source(ChaCha8Rng);

impl Source {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from((u128::from(self.0.next_u64()) * bound as u128) >> 64).unwrap_or(0)
    }
}

/// Draws a comparison. The kind of score, the clusters and the effect are drawn independently and
/// include degenerate cases.
fn draw(source: &mut Source) -> Vec<Pair<usize>> {
    let samples = 1 + match source.below(3) {
        0 => source.below(6),
        1 => source.below(30),
        _ => source.below(120),
    };
    let clusters = if source.below(2) == 0 {
        samples
    } else {
        1 + source.below(samples)
    };
    let attempts = 1 + source.below(6);
    let kind = source.below(6);
    let (chance, effect) = (
        source.uniform(),
        source.uniform().powi(2) - source.uniform().powi(2),
    );
    let constant = source.below(5) as f64 / 4.0;
    let draw = |cluster| {
        let mut score = |chance: f64| match kind {
            // Correct or incorrect.
            0 | 1 => f64::from(u8::from(source.uniform() < chance)),
            // The mean of several attempts.
            2 => {
                let right = (0..attempts).filter(|_| source.uniform() < chance);
                right.count() as f64 / attempts as f64
            }
            // A fraction.
            3 => (source.uniform() * chance).clamp(0.0, 1.0),
            // A constant score.
            4 => chance.clamp(0.0, 1.0),
            // One of a few values.
            _ => (4.0 * source.uniform() * chance).round().min(4.0) / 4.0,
        };
        let (first, second) = (score(chance), score(chance + effect));
        Pair {
            cluster,
            first: if kind == 1 { constant.round() } else { first },
            second,
        }
    };
    (0..samples)
        .map(|sample| sample % clusters)
        .map(draw)
        .collect()
}

/// Returns three counts: tested comparisons, comparisons with p below 0.05, and comparisons in
/// which test and interval disagree.
pub fn count(comparisons: usize, seed: u64) -> (usize, usize, usize) {
    let mut source = Source(ChaCha8Rng::seed_from_u64(seed));
    let (mut tested, mut found, mut disagree) = (0, 0, 0);
    while tested < comparisons {
        let Some(paired) = paired(&draw(&mut source)) else {
            continue;
        };
        let (Some(p), Some([low, high])) = (paired.p(), paired.interval()) else {
            disagree += usize::from(paired.p().is_some() || paired.interval().is_some());
            continue;
        };
        tested += 1;
        found += usize::from(p < 0.05);
        disagree += usize::from((p < 0.05) != (low > 0.0 || high < 0.0));
    }
    (tested, found, disagree)
}
