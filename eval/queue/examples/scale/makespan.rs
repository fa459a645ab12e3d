//! Simulates the duration of a run with static shards, with a queue in random order, and with a
//! queue that starts the longest attempts first. Lengths and times are multiples of the median
//! length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;

use crate::draw::Random;

/// Standard deviation of the natural logarithm of the attempt lengths.
const SIGMA: f64 = 1.5;

/// Number of simulated runs of each design.
const RUNS: u64 = 400;

/// Returns the time when the last attempt ends if workers take attempts from a queue in order.
fn queued(lengths: &[f64], workers: usize) -> f64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..workers).map(|_| Reverse(0)).collect();
    let mut end = 0;
    for length in lengths {
        let Some(Reverse(at)) = free.pop() else { break };
        let until = at + whole(*length);
        end = end.max(until);
        free.push(Reverse(until));
    }
    end as f64 / 1e6
}

/// Converts a length to millionths of the median.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "lengths are positive and far below the maximum"
)]
fn whole(length: f64) -> u64 {
    (length * 1e6) as u64
}

/// Returns the time when the slowest shard ends, for shards with equal numbers of attempts and one
/// worker each.
fn shared(lengths: &[f64], workers: usize) -> f64 {
    let share = |worker: usize| -> f64 { lengths.iter().skip(worker).step_by(workers).sum() };
    (0..workers).map(share).fold(0.0, f64::max)
}

/// Returns a lower bound of the duration: the mean load of a worker or the longest attempt,
/// whichever is longer.
fn bound(lengths: &[f64], workers: usize) -> f64 {
    let sum: f64 = lengths.iter().sum();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    (sum / workers as f64).max(longest)
}

/// Returns a Markdown table with the mean ratios over [`RUNS`] runs.
pub fn table() -> String {
    let mut text =
        "| workers | attempts | shards / queue | queue / bound | shards / longest first \
        | longest first / bound |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for (workers, attempts) in [
        (4, 40),
        (4, 100),
        (4, 160),
        (4, 400),
        (16, 400),
        (100, 2_000),
        (1_000, 20_000),
    ] {
        let mut sums = [0.0; 4];
        for run in 0..RUNS {
            let mut random = Random(run * 2_654_435_761 + 88_172_645_463_325_252);
            let mut lengths: Vec<f64> = (0..attempts).map(|_| random.log_normal(SIGMA)).collect();
            let (shares, queue, bound) = (
                shared(&lengths, workers),
                queued(&lengths, workers),
                bound(&lengths, workers),
            );
            lengths.sort_by(|a, b| b.total_cmp(a));
            let longest_first = queued(&lengths, workers);
            for (sum, ratio) in sums.iter_mut().zip([
                shares / queue,
                queue / bound,
                shares / longest_first,
                longest_first / bound,
            ]) {
                *sum += ratio / RUNS as f64;
            }
        }
        let [a, b, c, d] = sums;
        let _ = writeln!(
            text,
            "| {workers} | {attempts} | {a:.2} | {b:.2} | {c:.2} | {d:.2} |"
        );
    }
    text
}
