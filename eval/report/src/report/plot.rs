//! Draws the plots of a report as SVG.
//!
//! Colors stand for roles: the page's style sheet replaces [`INK`] and [`GRID`] by the colors of
//! its theme. Runs have the colors of [`SERIES`], which are distinguishable on light and dark
//! backgrounds, and the letters of the page's legend.

use std::collections::BTreeSet;
use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use statistics::{Estimate, Verdict};

use super::groups::CONTEXT_LENGTH;
use super::{Report, RunReport, SweepReport};
use crate::summary::{context_lengths, length_label};

/// Color of axes and text.
pub(super) const INK: RGBColor = RGBColor(0x11, 0x11, 0x11);
/// Color of grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Colors of runs, reused cyclically.
const SERIES: [RGBColor; 8] = [
    RGBColor(0x3b, 0x7d, 0xd8),
    RGBColor(0xe0, 0x7b, 0x26),
    RGBColor(0x2c, 0xa0, 0x6e),
    RGBColor(0xb8, 0x55, 0xc8),
    RGBColor(0xd4, 0x4a, 0x52),
    RGBColor(0x1a, 0xa5, 0xb8),
    RGBColor(0x9a, 0x8a, 0x2c),
    RGBColor(0x80, 0x86, 0x90),
];

/// Width and height of a plot in its own coordinates; the page scales the plot.
const SIZE: (u32, u32) = (660, 340);

/// Characters of labels that fit next to each other below a plot.
const LABEL_CHARS: usize = 62;

/// Error that occurs when a plot cannot be drawn. Only a bug in the program can cause it.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw a plot: {0}")]
pub struct PlotError(String);

/// A plot on the page.
#[derive(Debug)]
pub(super) struct Plot {
    pub title: String,
    /// Explains how to read the plot.
    pub note: String,
    /// SVG source.
    pub svg: String,
}

/// Returns all plots for which data exists.
pub(super) fn plots(report: &Report) -> Result<Vec<Plot>, PlotError> {
    let runs = &report.runs;
    let races = report.sweeps.iter().map(race);
    let plots = [
        scores(runs),
        score_by_cost(runs),
        iterations(runs),
        times(runs),
    ];
    races.chain(plots).filter_map(Result::transpose).collect()
}

/// Draws the score of each cell of a race against the number of samples, and marks where the cell
/// stopped.
fn race(sweep: &SweepReport) -> Result<Option<Plot>, PlotError> {
    let Some(race) = sweep.race.as_ref().filter(|race| !race.cells.is_empty()) else {
        return Ok(None);
    };
    let x = ValueAxis::from_zero(race.samples as f64, short);
    let svg = draw(
        (x, "samples"),
        (ValueAxis::score(), "score so far"),
        |chart| {
            for (place, cell) in race.cells.iter().enumerate() {
                let run = sweep.cells.iter().find(|(name, _)| *name == cell.name);
                let color = color(run.map_or(place, |(_, run)| *run));
                let points = cell
                    .line
                    .iter()
                    .map(|(samples, mean)| (*samples as f64, *mean));
                let points: Vec<(f64, f64)> = points.collect();
                let line = LineSeries::new(points.iter().copied(), color.stroke_width(2));
                chart.draw_series(line).map_err(failed)?;
                if let (Some(end), Some(verdict)) = (points.last(), cell.verdict) {
                    let filled = match verdict {
                        Verdict::Won | Verdict::Better => color.filled(),
                        Verdict::Worse | Verdict::NotBetter | Verdict::Alike => {
                            color.stroke_width(2)
                        }
                    };
                    let dot = Circle::new(*end, 6, filled);
                    chart.draw_series([dot]).map_err(failed)?;
                }
            }
            Ok(())
        },
    )?;
    Ok(Some(Plot {
        title: "Race".to_owned(),
        note: "A circle marks where a cell stopped; it is filled if the cell won or is better."
            .to_owned(),
        svg,
    }))
}

/// A value axis with labeled ticks.
#[derive(Clone)]
struct ValueAxis {
    range: Range<f64>,
    marks: Vec<(f64, String)>,
}

impl ValueAxis {
    /// Creates an axis with the given labels at 0, 1, …. If they do not fit next to each other,
    /// only every second, third, … is shown.
    fn places(texts: impl IntoIterator<Item = String>) -> Self {
        let texts: Vec<String> = texts.into_iter().collect();
        let places = texts.len();
        let longest = texts.iter().map(|text| text.chars().count()).max();
        let fitting = LABEL_CHARS / (longest.unwrap_or_default() + 1);
        let step = places.div_ceil(fitting.max(1)).max(1);
        let marks = (0_u32..).map(f64::from).zip(texts).step_by(step);
        Self {
            range: -0.5..places as f64 - 0.5,
            marks: marks.collect(),
        }
    }

    /// Creates an axis from 0 to a round number of at least `most`, in at most five steps.
    fn from_zero(most: f64, text: impl Fn(f64) -> String) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let magnitude = 10_f64.powf((most / 5.0).log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * magnitude);
        let step = steps.into_iter().find(|step| step * 5.0 >= most);
        let step = step.unwrap_or(magnitude * 10.0);
        let last = (most / step).ceil();
        let marks = (0_u32..=10)
            .map(f64::from)
            .take_while(|n| *n <= last)
            .map(|n| (n * step, text(n * step)));
        Self {
            range: 0.0..last * step,
            marks: marks.collect(),
        }
    }

    /// Creates an axis from 0 to 1 in fifths, with room for whiskers at both ends.
    fn score() -> Self {
        let marks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        Self {
            range: -0.03..1.03,
            marks: marks.map(|mark| (mark, format!("{mark:.1}"))).into(),
        }
    }
}

impl Ranged for ValueAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.marks.iter().map(|(place, _)| *place).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for ValueAxis {
    fn format_ext(&self, value: &f64) -> String {
        let text = self
            .marks
            .iter()
            .find(|(place, _)| (place - value).abs() < 1e-9);
        text.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

type Area<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<ValueAxis, ValueAxis>>;

/// Draws labeled axes, lets `fill` draw the data, and returns the SVG.
fn draw(
    x: (ValueAxis, &str),
    y: (ValueAxis, &str),
    fill: impl FnOnce(&mut Area) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .margin_right(20)
            .x_label_area_size(52)
            .y_label_area_size(64)
            .build_cartesian_2d(x.0, y.0)
            .map_err(failed)?;
        let label = ("sans-serif", 15).into_font().color(&INK);
        let name = ("sans-serif", 16).into_font().color(&INK);
        chart
            .configure_mesh()
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style(label)
            .axis_desc_style(name)
            .x_desc(x.1)
            .y_desc(y.1)
            .draw()
            .map_err(failed)?;
        fill(&mut chart)?;
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

fn color(run: usize) -> RGBColor {
    SERIES[run % SERIES.len()]
}

/// Returns the horizontal offset of a run's mark among the marks at the same position.
fn horizontal_offset(run: usize, runs: usize) -> f64 {
    let width = 0.6 / runs as f64;
    (run as f64 - (runs as f64 - 1.0) / 2.0) * width
}

/// Draws a score as a dot with its interval as whiskers.
fn dot(chart: &mut Area, x: f64, score: &Estimate, color: RGBColor) -> Result<(), PlotError> {
    if let Some(interval) = &score.interval {
        let whiskers = ErrorBar::new_vertical(
            x,
            interval.low,
            score.mean,
            interval.high,
            color.stroke_width(2),
            10,
        );
        chart.draw_series([whiskers]).map_err(failed)?;
    }
    let dot = Circle::new((x, score.mean), 5, color.filled());
    chart.draw_series([dot]).map_err(failed)?;
    Ok(())
}

/// Draws the score of each run by context length, or only the score if no context length is
/// recorded.
fn scores(runs: &[RunReport]) -> Result<Option<Plot>, PlotError> {
    let lengths = context_lengths(runs.iter().map(|run| &run.summary));
    let lengths: BTreeSet<u64> = lengths.into_iter().map(|length| length.value).collect();
    if lengths.is_empty() {
        let x = ValueAxis::places(runs.iter().map(|run| run.name.clone()));
        let svg = draw((x, "run"), (ValueAxis::score(), "score"), |chart| {
            for (run, report) in runs.iter().enumerate() {
                if let Some(score) = &report.summary.score {
                    dot(chart, run as f64, score, color(run))?;
                }
            }
            Ok(())
        })?;
        return Ok(Some(Plot {
            title: "Score".to_owned(),
            note: format!("Whiskers are 95 % intervals. No sample has a `{CONTEXT_LENGTH}`."),
            svg,
        }));
    }
    let x = ValueAxis::places(lengths.iter().map(|length| length_label(*length)));
    let place = |length: u64| lengths.iter().position(|known| *known == length);
    let svg = draw(
        (
            x,
            "context length in characters, or in tokens if the data counts tokens",
        ),
        (ValueAxis::score(), "score"),
        |chart| {
            for (run, report) in runs.iter().enumerate() {
                let groups = report.summary.by_context_length.iter();
                let points: Vec<(f64, Estimate)> = groups
                    .filter_map(|group| {
                        let place = place(group.context_length)? as f64;
                        Some((place + horizontal_offset(run, runs.len()), group.score?))
                    })
                    .collect();
                let line = points.iter().map(|(x, score)| (*x, score.mean));
                let style = color(run).stroke_width(2);
                chart
                    .draw_series(LineSeries::new(line, style))
                    .map_err(failed)?;
                for (x, score) in &points {
                    dot(chart, *x, score, color(run))?;
                }
            }
            Ok(())
        },
    )?;
    Ok(Some(Plot {
        title: "Score by context length".to_owned(),
        note: "Whiskers are 95 % intervals; at each length, the runs are side by side.".to_owned(),
        svg,
    }))
}

/// Converts a run's total to a mean per attempt.
fn per_attempt(run: &RunReport, sum: f64) -> f64 {
    sum / run.summary.attempts.max(1) as f64
}

/// Draws score against cost, or against tokens if a cost is unknown, or against time if tokens are
/// also unknown.
fn score_by_cost(runs: &[RunReport]) -> Result<Option<Plot>, PlotError> {
    let costs: Option<Vec<f64>> = runs
        .iter()
        .map(|run| {
            let known = run.summary.cost_unknown == 0;
            run.summary
                .cost_usd
                .filter(|_| known)
                .map(|cost| per_attempt(run, cost))
        })
        .collect();
    let tokens = || -> Option<Vec<f64>> {
        let tokens = runs.iter().map(|run| {
            let sum = run.summary.usage?.total() as f64;
            (sum > 0.0).then(|| per_attempt(run, sum))
        });
        tokens.collect()
    };
    let (name, values, why) = if let Some(costs) = costs {
        ("US dollars per attempt", costs, "")
    } else if let Some(tokens) = tokens() {
        let why = " The cost of some attempts is unknown, so tokens are shown instead.";
        ("tokens per attempt", tokens, why)
    } else {
        let times = runs
            .iter()
            .map(|run| run.seconds_per_attempt().unwrap_or_default());
        let why = " Cost and tokens of some attempts are unknown, so time is shown instead.";
        ("seconds per attempt", times.collect(), why)
    };
    let most = values.iter().copied().fold(0.0, f64::max);
    let svg = draw(
        (ValueAxis::from_zero(most * 1.05, short), name),
        (ValueAxis::score(), "score"),
        |chart| {
            for (run, (report, value)) in runs.iter().zip(&values).enumerate() {
                if let Some(score) = &report.summary.score {
                    dot(chart, *value, score, color(run))?;
                }
            }
            Ok(())
        },
    )?;
    Ok(Some(Plot {
        title: "Score against cost".to_owned(),
        note: format!("Each dot is a run; whiskers are 95 % intervals of its score.{why}"),
        svg,
    }))
}

/// Formats a number without unnecessary digits: `0.002`, `1.5`, `12k`.
fn short(value: f64) -> String {
    if value >= 1e6 {
        return format!("{}M", trimmed(value / 1e6));
    }
    if value >= 1e3 {
        return format!("{}k", trimmed(value / 1e3));
    }
    trimmed(value)
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Maximum number of bins in the histogram of iterations.
const BARS: u32 = 20;

/// Draws the distribution of attempts over the number of root iterations.
fn iterations(runs: &[RunReport]) -> Result<Option<Plot>, PlotError> {
    let all = runs.iter().flat_map(|run| &run.iterations);
    let Some(most) = all.max().copied() else {
        return Ok(None);
    };
    // Agents that answer in a single call have 0 iterations. Without any, the bars begin at 1.
    let first = u32::from(!runs.iter().any(|run| run.iterations.contains(&0)));
    let width = (most + 1 - first).div_ceil(BARS).max(1);
    let bins = (most + 1 - first).div_ceil(width);
    let range = move |bin: u32| (first + bin * width, first + (bin + 1) * width - 1);
    let texts = (0..bins).map(|bin| match range(bin) {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from}–{to}"),
    });
    let share = move |run: &RunReport, bin: u32| {
        let (from, to) = range(bin);
        let held = run.iterations.iter().filter(|n| (from..=to).contains(n));
        held.count() as f64 / run.iterations.len().max(1) as f64
    };
    let shares = runs
        .iter()
        .flat_map(|run| (0..bins).map(move |bin| share(run, bin)));
    let highest = shares.fold(0.0, f64::max);
    let bar = 0.6 / runs.len() as f64;
    let y = ValueAxis::from_zero(highest * 100.0, |value| format!("{} %", trimmed(value)));
    let x = ValueAxis::places(texts);
    let svg = draw((x, "iterations of the root"), (y, "attempts"), |chart| {
        for (run, report) in runs.iter().enumerate() {
            let bars = (0..bins).map(|bin| {
                let middle = f64::from(bin) + horizontal_offset(run, runs.len());
                let (left, right) = (middle - bar * 0.45, middle + bar * 0.45);
                let height = share(report, bin) * 100.0;
                Rectangle::new([(left, 0.0), (right, height)], color(run).filled())
            });
            chart.draw_series(bars).map_err(failed)?;
        }
        Ok(())
    })?;
    Ok(Some(Plot {
        title: "Iterations".to_owned(),
        note: "Attempts that ended ok or at a limit.".to_owned(),
        svg,
    }))
}

/// Draws the mean time of an attempt by activity. A run without this figure has no bar.
fn times(runs: &[RunReport]) -> Result<Option<Plot>, PlotError> {
    let parts: Vec<[f64; 3]> = runs
        .iter()
        .map(|run| match &run.behaviour.time {
            Some(time) => [time.model_s, time.sandbox_s, time.overhead_s],
            None => [0.0; 3],
        })
        .collect();
    if runs.iter().all(|run| run.behaviour.time.is_none()) {
        return Ok(None);
    }
    let most = parts
        .iter()
        .map(|parts| parts.iter().sum())
        .fold(0.0, f64::max);
    let y = ValueAxis::from_zero(most, short);
    let x = ValueAxis::places(runs.iter().map(|run| run.name.clone()));
    let svg = draw((x, "run"), (y, "seconds per attempt"), |chart| {
        for (run, parts) in parts.iter().enumerate() {
            let mut from = 0.0;
            for (part, color) in parts.iter().zip(TIME_PARTS.map(|(_, color)| color)) {
                let (left, right) = (run as f64 - 0.25, run as f64 + 0.25);
                let corners = [(left, from), (right, from + part)];
                let bar = Rectangle::new(corners, color.filled());
                chart.draw_series([bar]).map_err(failed)?;
                from += part;
            }
        }
        Ok(())
    })?;
    let unknown = runs.iter().filter(|run| run.behaviour.time.is_none());
    let unknown: Vec<&str> = unknown.map(|run| run.name.as_str()).collect();
    let gap = if unknown.is_empty() {
        String::new()
    } else {
        format!(" Not recorded for run {}.", unknown.join(", "))
    };
    Ok(Some(Plot {
        title: "Time of an attempt by activity".to_owned(),
        note: format!("Mean seconds of an attempt that ended ok or at a limit.{gap}"),
        svg,
    }))
}

/// Parts of an attempt's time, with their colors.
pub(super) const TIME_PARTS: [(&str, RGBColor); 3] = [
    ("models", RGBColor(0x5a, 0x8f, 0xc4)),
    ("cells", RGBColor(0x4c, 0xa6, 0x85)),
    ("overhead", RGBColor(0xc9, 0x6a, 0x5b)),
];

/// Returns the CSS color of the run at an index.
pub(super) fn color_of(run: usize) -> String {
    css(color(run))
}

/// Formats a color for CSS: `#3b7dd8`.
pub(super) fn css(color: RGBColor) -> String {
    let RGBColor(red, green, blue) = color;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::ValueAxis;

    #[test]
    fn omits_labels_that_do_not_fit() {
        let rows = [
            ("20", 20, 20),
            ("61–64", 17, 9),
            ("1103–1160", 20, 5),
            (
                "a label that is longer than the plot, even without any other label",
                2,
                1,
            ),
            ("", 0, 0),
        ];
        for (text, places, labels) in rows {
            let axis = ValueAxis::places(vec![text.to_owned(); places]);
            assert_eq!(axis.marks.len(), labels, "{text}");
            let end = f64::from(u32::try_from(places).unwrap()) - 0.5;
            assert_eq!(axis.range, -0.5..end, "{text}");
        }
    }
}
