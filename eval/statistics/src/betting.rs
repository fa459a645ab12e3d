//! Anytime-valid p values and confidence sequences, which remain valid regardless of when a run
//! stops.

/// Shares of the wealth that are staked on a draw. A fixed part of the initial wealth is bet at
/// each share. Small stakes find small differences eventually; large stakes find large differences
/// early.
const STAKES: [f64; 7] = [0.05, 0.12, 0.22, 0.36, 0.52, 0.7, 0.88];

/// Part of the initial wealth for each stake.
const WEIGHTS: [f64; 7] = [0.06, 0.14, 0.22, 0.22, 0.18, 0.12, 0.06];

/// Wealth of a bettor who bets that the mean of draws is above 0: a test martingale that starts at
/// 1.
///
/// If the mean of each draw, given all earlier draws, is at most 0, the probability that the wealth
/// ever reaches `1/α` is at most `α`, regardless of the stopping rule (Ville's inequality). The
/// wealth is the sum, over fixed [`STAKES`] `λ`, of each part times `Π (1 + λ·gain)`: I.
/// Waudby-Smith and A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", J. Royal
/// Statistical Society B 86 (2024), with a mixture instead of their adaptive bets. Therefore the
/// order of draws does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Wealth {
    /// Logarithm of the wealth of each stake.
    logs: [f64; STAKES.len()],
    /// Logarithm of the highest total wealth so far.
    highest: f64,
}

impl Default for Wealth {
    fn default() -> Self {
        Self {
            logs: [0.0; STAKES.len()],
            highest: 0.0,
        }
    }
}

impl Wealth {
    /// Adds a draw, which must be at least −1.
    pub fn add(&mut self, gain: f64) {
        for (log, stake) in self.logs.iter_mut().zip(STAKES) {
            *log += (stake * gain.max(-1.0)).ln_1p();
        }
    }

    /// Returns the logarithm of the current wealth.
    pub fn log(&self) -> f64 {
        log_sum(&self.logs)
    }

    /// Updates the highest wealth. Call this function whenever the run may stop.
    pub fn look(&mut self) {
        self.highest = self.highest.max(self.log());
    }

    /// Returns an anytime-valid p value: 1 divided by the highest wealth at any call of
    /// [`look`](Self::look), and at most 1.
    pub fn p(&self) -> f64 {
        (-self.highest).exp()
    }
}

fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts = logs.iter().zip(WEIGHTS);
    let sum: f64 = parts.map(|(log, part)| part * (log - most).exp()).sum();
    most + sum.ln()
}

/// Sum and size of a cluster of values that are drawn together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClusterSum {
    /// Sum of the values.
    pub sum: f64,
    /// Number of values.
    pub size: f64,
}

/// Returns one interval of a confidence sequence for the mean of values within `bounds`: with
/// probability `1 − alpha`, all intervals of the sequence contain the mean. Each cluster is one
/// draw of at most `largest` values; `largest` must be fixed before the first draw. Returns `None`
/// without values.
///
/// One bettor bets that the mean is above `m`, another that it is below. The interval contains `m`
/// if neither reaches a [`Wealth`] of `2/alpha`. The gain of a cluster is
/// `(sum − size·m) / (largest·(m − low))`. It is at least −1 and decreases with `m`, so bisection
/// finds the ends.
pub fn confidence_sequence(
    groups: &[ClusterSum],
    bounds: [f64; 2],
    largest: f64,
    alpha: f64,
) -> Option<[f64; 2]> {
    let values: f64 = groups.iter().map(|group| group.size).sum();
    if values <= 0.0 {
        return None;
    }
    let [low, high] = bounds;
    let mean = groups.iter().map(|group| group.sum).sum::<f64>() / values;
    // The upper end is the lower end of the mirrored values.
    let mirrored = |group: &ClusterSum| ClusterSum {
        sum: (low + high) * group.size - group.sum,
        size: group.size,
    };
    let others: Vec<ClusterSum> = groups.iter().map(mirrored).collect();
    let log_threshold = (2.0 / alpha).ln();
    let below = lower_end(groups, low, mean, largest, log_threshold);
    let above = lower_end(&others, low, low + high - mean, largest, log_threshold);
    Some([below, low + high - above])
}

/// Returns the smallest mean that is not ruled out from below.
fn lower_end(groups: &[ClusterSum], low: f64, mean: f64, largest: f64, log_threshold: f64) -> f64 {
    const HALVINGS: u32 = 30;
    let is_ruled_out = |m: f64| {
        let mut wealth = Wealth::default();
        for group in groups {
            wealth.add((group.sum - group.size * m) / (largest * (m - low)));
        }
        wealth.log() >= log_threshold
    };
    let (mut out, mut held) = (low, mean.max(low));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(out, held);
        if middle > low && is_ruled_out(middle) {
            out = middle;
        } else {
            held = middle;
        }
    }
    out
}
