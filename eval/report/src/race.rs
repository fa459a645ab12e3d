//! Decision logs and results of races: sweeps that stop cells early.

mod text;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use records::run_dir::RunDirError;
use serde::{Deserialize, Serialize};
use statistics::{Race, SampleCluster, Standing, StoppedDifference};

use crate::compare::p_text;

pub use crate::race_folder::RACE_LOG;
pub use statistics::{RaceOpponents, Rules, Verdict};
pub use text::{block_lines, race_table};

/// Version of a [`RaceLog`], written as `v` in each of its lines.
pub const RACE_VERSION: u32 = 1;

/// First line of `race.jsonl`: the rules, cells and samples of the race.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceHeader {
    /// [`RACE_VERSION`] of the program that wrote the line.
    pub v: u32,
    /// Significance level, smallest relevant difference, and opponents of the cells.
    pub rules: Rules,
    /// Names of the cells.
    pub cells: Vec<String>,
    /// Minimum number of samples between two decisions.
    pub block: usize,
    /// Number of attempts of each cell per sample.
    pub attempts: u32,
    /// Samples in race order, grouped by cluster.
    pub order: Vec<Vec<String>>,
}

/// Any later line of `race.jsonl`: a block, the standings after it, and the decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceBlock {
    /// [`RACE_VERSION`] of the program that wrote the line.
    pub v: u32,
    /// Number of the block, 1-based.
    pub block: usize,
    /// Number of samples finished by the running cells, including this block.
    pub samples: usize,
    /// Scores that the decision is based on: for each sample of the block, the score of each cell,
    /// or `None` if the cell has stopped or has no score.
    pub scores: Vec<(String, Vec<Option<f64>>)>,
    /// Standing of each cell.
    pub cells: Vec<Standing>,
    /// Cells that stopped after this block, each with the reason.
    pub stopped: BTreeMap<String, String>,
}

/// A race as recorded in its log.
#[derive(Debug, Clone)]
pub struct RaceLog {
    /// Rules, cells and samples of the race.
    pub header: RaceHeader,
    /// Finished blocks.
    pub blocks: Vec<RaceBlock>,
    race: Race,
}

/// Reason why a race log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RaceError {
    /// The log cannot be read or written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// A line is invalid.
    #[error("{}: line {line}: {problem}", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, 1-based.
        line: usize,
        /// Reason why the line is invalid.
        problem: String,
    },
}

impl RaceHeader {
    /// Splits the clusters, in race order, into blocks of at least `block` samples; the last block
    /// may be smaller.
    pub fn blocks(&self) -> Vec<&[Vec<String>]> {
        let mut blocks = Vec::new();
        let (mut from, mut samples) = (0, 0);
        for (place, unit) in self.order.iter().enumerate() {
            samples += unit.len();
            if samples >= self.block || place + 1 == self.order.len() {
                blocks.push(&self.order[from..=place]);
                (from, samples) = (place + 1, 0);
            }
        }
        blocks
    }

    fn race(&self) -> Race {
        let largest = self.order.iter().map(Vec::len).max().unwrap_or(1);
        Race::new(self.rules.clone(), self.cells.len(), largest)
    }

    /// Returns the number of samples of a cell that never stops.
    pub fn samples(&self) -> usize {
        self.order.iter().map(Vec::len).sum()
    }

    /// Returns the p value that a cell's verdict is based on or, without a verdict, the one that
    /// *worse* or *better* would be based on. A last cell or a baseline has none.
    fn p(&self, cell: usize, standing: &Standing) -> Option<f64> {
        let is_baseline = match &self.rules.against {
            RaceOpponents::Best => false,
            RaceOpponents::Baselines(baselines) => baselines.get(cell) == Some(&cell),
        };
        match standing.verdict {
            Some(Verdict::Won) => None,
            _ if is_baseline => None,
            Some(Verdict::NotBetter | Verdict::Alike) => Some(standing.p_matters),
            Some(Verdict::Worse | Verdict::Better) | None => Some(standing.p),
        }
    }

    /// Explains why a cell stopped, or returns `None` if it is still running.
    fn reason(&self, standings: &[Standing], cell: usize) -> Option<String> {
        let standing = &standings[cell];
        let rival = match &self.rules.against {
            RaceOpponents::Best => "the best of the others",
            RaceOpponents::Baselines(_) => "its baseline",
        };
        let matters = self.rules.min_difference;
        let (p, p_matters) = (p_text(standing.p), p_text(standing.p_matters));
        Some(match standing.verdict? {
            Verdict::Worse => format!("worse than {rival} (p {p} over all cells)"),
            Verdict::NotBetter => {
                format!("not better than all others by {matters} (p {p_matters})")
            }
            Verdict::Better => format!("better than {rival} (p {p} over all cells)"),
            Verdict::Alike => format!("within {matters} of {rival} (p {p_matters} over all cells)"),
            Verdict::Won => match &self.rules.against {
                RaceOpponents::Best => "the last one: all others have stopped".to_owned(),
                RaceOpponents::Baselines(_) => {
                    "a baseline whose comparisons are all decided".to_owned()
                }
            },
        })
    }
}

impl RaceLog {
    /// Creates the log of a race that has not begun.
    pub fn new(header: RaceHeader) -> Self {
        let race = header.race();
        Self {
            header,
            blocks: Vec::new(),
            race,
        }
    }

    /// Reads the log in a folder, or returns `None` if there is none. The decisions are recomputed
    /// from the scores and must equal the recorded ones. A truncated last line is ignored.
    ///
    /// # Errors
    /// Returns [`RaceError`] if the log cannot be read or is invalid.
    pub fn read(folder: &Path) -> Result<Option<Self>, RaceError> {
        let path = folder.join(RACE_LOG);
        if !path.is_file() {
            return Ok(None);
        }
        let bytes = fs::read(&path).map_err(|reason| RunDirError::cannot_read(&path, reason))?;
        let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
            return Ok(None);
        };
        let mut lines = bytes[..end].split(|&byte| byte == b'\n');
        let wrong = |line: usize, problem: String| RaceError::Line {
            path: path.clone(),
            line,
            problem,
        };
        let first = lines.next().unwrap_or_default();
        let header: RaceHeader =
            serde_json::from_slice(first).map_err(|error| wrong(1, error.to_string()))?;
        if header.v > RACE_VERSION {
            let problem = format!(
                "schema version {}, but this program reads only versions up to {RACE_VERSION}",
                header.v
            );
            return Err(wrong(1, problem));
        }
        let mut log = Self::new(header);
        for (line, number) in lines.zip(2..) {
            let block: RaceBlock =
                serde_json::from_slice(line).map_err(|error| wrong(number, error.to_string()))?;
            let scores = block.scores.iter().cloned().collect();
            let again = log.decide(&scores).ok_or_else(|| {
                wrong(
                    number,
                    "expected no block after the end of the race".to_owned(),
                )
            })?;
            let verdicts = |block: &RaceBlock| -> Vec<Option<Verdict>> {
                block.cells.iter().map(|cell| cell.verdict).collect()
            };
            if verdicts(&again) != verdicts(&block) {
                let problem = "the recorded scores do not lead to the recorded decisions";
                return Err(wrong(number, problem.to_owned()));
            }
        }
        Ok(Some(log))
    }

    /// Writes a log file with only the header.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the file cannot be written.
    pub fn begin(&self, path: &Path) -> Result<(), RunDirError> {
        records::run_dir::write_whole(path, line(path, &self.header)?.as_bytes())
    }

    /// Appends the last block to the file and syncs it.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the file cannot be written.
    pub fn append(&self, path: &Path) -> Result<(), RunDirError> {
        let Some(block) = self.blocks.last() else {
            return Ok(());
        };
        let text = line(path, block)?;
        let written = || {
            // Remove a partial line, which a killed process may have left.
            let before = fs::read(path)?;
            let last = before.iter().rposition(|&byte| byte == b'\n');
            let whole = last.map_or(0, |end| end + 1);
            let mut file: File = OpenOptions::new().write(true).open(path)?;
            file.set_len(whole as u64)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        written().map_err(|reason| RunDirError::cannot_write(path, reason))
    }

    /// Returns the clusters of the next block, or `None` if the race is over.
    pub fn next(&self) -> Option<Vec<Vec<String>>> {
        if self.race.is_over() {
            return None;
        }
        let blocks = self.header.blocks();
        blocks.get(self.blocks.len()).map(|block| block.to_vec())
    }

    /// Returns the indices of the cells that take part in the next block.
    pub fn running(&self) -> Vec<usize> {
        self.race.running()
    }

    /// Whether every cell has a verdict.
    pub fn is_decided(&self) -> bool {
        self.race.is_over()
    }

    /// Evaluates the next block. `scores` contains the score of every cell for each sample. Returns
    /// `None` if no block is left.
    pub fn decide(&mut self, scores: &BTreeMap<String, Vec<Option<f64>>>) -> Option<RaceBlock> {
        let units = self.next()?;
        let running = self.running();
        let nothing = vec![None; self.header.cells.len()];
        let row = |sample: &String| -> Vec<Option<f64>> {
            let row = scores.get(sample).unwrap_or(&nothing).iter().enumerate();
            row.map(|(cell, score)| score.filter(|_| running.contains(&cell)))
                .collect()
        };
        let block = units
            .iter()
            .map(|unit| SampleCluster(unit.iter().map(row).collect()));
        let cells = self.race.add(block.collect());
        let stopped = running.iter().filter_map(|cell| {
            let why = self.header.reason(&cells, *cell)?;
            Some((self.header.cells[*cell].clone(), why))
        });
        let before = self.blocks.last().map_or(0, |block| block.samples);
        let samples: Vec<&String> = units.iter().flatten().collect();
        let block = RaceBlock {
            v: RACE_VERSION,
            block: self.blocks.len() + 1,
            samples: before + samples.len(),
            scores: samples
                .into_iter()
                .map(|sample| (sample.clone(), row(sample)))
                .collect(),
            stopped: stopped.collect(),
            cells,
        };
        self.blocks.push(block.clone());
        Some(block)
    }

    /// Returns the result so far.
    pub fn result(&self) -> RaceResult {
        let header = &self.header;
        let count = header.cells.len();
        let nothing: Vec<Standing> = Vec::new();
        let standings = self.blocks.last().map_or(&nothing, |block| &block.cells);
        let ahead = standings.iter().enumerate().filter(|(_, standing)| {
            matches!(
                standing.verdict,
                None | Some(Verdict::Won | Verdict::Better)
            )
        });
        let best = ahead
            .filter_map(|(cell, standing)| Some((cell, standing.mean?)))
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
            .map(|(cell, _)| cell);
        let reference = |cell: usize| match &header.rules.against {
            RaceOpponents::Best => best,
            RaceOpponents::Baselines(baselines) => baselines.get(cell).copied(),
        };
        let per_block = header.order.len().div_ceil(header.blocks().len().max(1));
        let cells = standings.iter().enumerate().map(|(cell, standing)| {
            let reference = reference(cell).filter(|other| *other != cell);
            let name = &header.cells[cell];
            let mut blocks = self.blocks.iter();
            let stop = blocks.find(|block| block.stopped.contains_key(name));
            RaceCell {
                name: name.clone(),
                samples: standing.samples,
                mean: standing.mean,
                verdict: standing.verdict,
                p: header.p(cell, stop.map_or(standing, |block| &block.cells[cell])),
                against: reference.map(|other| header.cells[other].clone()),
                difference: reference.and_then(|other| {
                    self.race
                        .estimate(cell, other, header.order.len(), per_block)
                }),
                why: stop.and_then(|block| block.stopped.get(name).cloned()),
                line: self.line(cell),
            }
        });
        let attempts = u64::from(header.attempts);
        let of_cell = |cell: usize| -> u64 {
            let blocks = self.blocks.iter().enumerate();
            let taken = blocks.filter(|(place, _)| {
                *place == 0 || self.blocks[place - 1].cells[cell].verdict.is_none()
            });
            let samples = taken.map(|(_, block)| block.scores.len() as u64);
            samples.sum::<u64>() * attempts
        };
        RaceResult {
            rules: header.rules.clone(),
            is_decided: self.is_decided(),
            is_finished: self.next().is_none(),
            blocks: self.blocks.len(),
            best: best.map(|cell| header.cells[cell].clone()),
            samples: header.samples(),
            attempts: (0..count).map(of_cell).sum(),
            attempts_of_full_sweep: (header.samples() * count) as u64 * attempts,
            cells: cells.collect(),
        }
    }

    /// Returns the number of samples and the mean score of a cell after each of its blocks.
    fn line(&self, cell: usize) -> Vec<(usize, f64)> {
        let mut line = Vec::new();
        for block in &self.blocks {
            let standing = &block.cells[cell];
            line.extend(standing.mean.map(|mean| (block.samples, mean)));
            if standing.verdict.is_some() {
                break;
            }
        }
        line
    }
}

fn line(path: &Path, value: &impl Serialize) -> Result<String, RunDirError> {
    let text = serde_json::to_string(value)
        .map_err(|reason| RunDirError::cannot_write(path, reason.into()))?;
    Ok(text + "\n")
}

/// Result of a race.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RaceResult {
    /// Significance level, smallest relevant difference, and opponents of the cells.
    pub rules: Rules,
    /// Whether every cell has a verdict. If `false`, the samples were used up or the race has not
    /// ended.
    pub is_decided: bool,
    /// Whether the race has ended: every cell has a verdict, or the samples were used up.
    pub is_finished: bool,
    /// Number of decided blocks.
    pub blocks: usize,
    /// Name of the cell with the best mean score among those that are undecided, better or last.
    pub best: Option<String>,
    /// Number of samples of a cell that never stops.
    pub samples: usize,
    /// Number of attempts in the decided blocks, without those of a block in progress.
    pub attempts: u64,
    /// Number of attempts in a sweep that never stops a cell.
    pub attempts_of_full_sweep: u64,
    /// Results of the cells.
    pub cells: Vec<RaceCell>,
}

/// Result of a race for one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RaceCell {
    /// Name of the cell.
    pub name: String,
    /// Number of samples with a score.
    pub samples: u64,
    /// Mean score of these samples, not corrected for early stopping.
    pub mean: Option<f64>,
    /// Verdict that stopped the cell, if it has stopped.
    pub verdict: Option<Verdict>,
    /// Anytime-valid p value of the verdict when the cell stopped; of a running cell, the p value
    /// for the null hypothesis that it is as good as the best cell or, in a race against baselines,
    /// equal to its baseline. `None` for the last cell and for baselines.
    pub p: Option<f64>,
    /// Name of the cell that this one is compared with: the best cell or the baseline.
    pub against: Option<String>,
    /// Difference from that cell.
    pub difference: Option<StoppedDifference>,
    /// Reason why the cell stopped, if it has stopped.
    pub why: Option<String>,
    /// Number of samples and mean score after each of the cell's blocks.
    pub line: Vec<(usize, f64)>,
}

impl RaceResult {
    /// Returns the share of the full sweep's attempts that the race saved.
    pub fn saved(&self) -> f64 {
        match self.attempts_of_full_sweep {
            0 => 0.0,
            all => 1.0 - self.attempts as f64 / all as f64,
        }
    }
}
