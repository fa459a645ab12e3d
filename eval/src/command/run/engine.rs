//! Creates the engine of a run.

use harness::{Engine, Model};

use crate::error::Error;
use crate::models;
use crate::process::terminal;
use crate::settings::{EngineSettings, JudgeSettings};

/// Opens the models of the agents and of the judge, and creates the engine.
///
/// # Errors
/// [`Error`] for a model that cannot be opened or contradictory settings.
pub(in crate::command) fn open(
    settings: &EngineSettings,
    benchmark: Option<&str>,
    judge: Option<&JudgeSettings>,
) -> Result<(Engine, Option<Model>), Error> {
    let (models, judge) = models::open(settings, benchmark, judge)?;
    let (treatment, conduct) = (settings.treatment.clone(), settings.conduct.clone());
    let engine = Engine::new(treatment, conduct, models, terminal::warning)?;
    Ok((engine, judge))
}
