//! A prepared run without a folder: its dataset, selected samples, engine and scorer.
//!
//! All checks that do not write files happen here.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Once};

use benchmarks::{Dataset, OpenError, is_path};
use browser::Origin;
use harness::model::web::Browser;
use harness::provider::Recording;
use harness::{Engine, InputKind};
use records::RunIdentity;
use records::run_dir::{self, Fingerprint, Reopened};
use serde_json::Value;

use super::{config, engine};
use crate::command::runtime::runtime;
use crate::error::Error;
use crate::grader::{self, Further, Grader};
use crate::models;
use crate::process::terminal;
use crate::run::protocol_fit;
use crate::run::resume::{Remaining, ResumeError, check_experiment, remaining};
use crate::runner::selection::select;
use crate::settings::{ResumePolicy, RunSettings, SettingsError};
use crate::web::{EnvironmentSource, Web, WebSettings};

/// A run that is ready to start.
pub(in crate::command) struct Prepared {
    pub(in crate::command) dataset: Arc<dyn Dataset>,
    pub(in crate::command) engine: Engine,
    pub(in crate::command) grader: Arc<dyn Grader>,
    /// Scorers whose scores are only recorded.
    pub(in crate::command) further: Further,
    /// Browser environment, if samples need one.
    pub(in crate::command) web: Option<Arc<Web>>,
    /// Selected samples as indices into the dataset; at least one.
    samples: Vec<usize>,
    /// Number of selected samples in all shards together.
    whole: usize,
    attempts: u32,
    pub(in crate::command) fingerprint: Fingerprint,
}

/// Warns once if the protocol is designed for a context, but no row of a user's benchmark has one.
fn warn_without_contexts(dataset: &dyn Dataset, settings: &RunSettings) {
    static WARNED: Once = Once::new();
    let protocol = settings.engine.treatment.protocol;
    let is_text = dataset
        .ids()
        .first()
        .and_then(|id| protocol_fit::subject(dataset, id).ok())
        .is_some_and(|subject| subject == InputKind::Texts);
    if dataset.has_contexts()
        || !is_text
        || !is_path(&settings.benchmark)
        || !protocol.capabilities().for_contexts
    {
        return;
    }
    WARNED.call_once(|| {
        terminal::warning(&format!(
            "--protocol {protocol} is designed for a context, but no row of {} has one; a context \
             is read from the field `context` or `context_file`, or from the fields named by \
             `fields` in benchmark.yaml",
            dataset.name()
        ));
    });
}

impl Prepared {
    /// Opens benchmark and models and selects the samples. Returns `None` if no sample matches.
    ///
    /// # Errors
    /// [`Error`] for settings that the benchmark, a model or the engine cannot use.
    pub(in crate::command) fn new(settings: &RunSettings) -> Result<Option<Self>, Error> {
        let dataset: Arc<dyn Dataset> = Arc::from(benchmarks::open(
            &settings.benchmark,
            &settings.benchmark_options,
        )?);
        protocol_fit::check(dataset.as_ref(), &settings.engine.treatment)?;
        if let Some(place) = dataset.first_command().filter(|_| !settings.allow_commands) {
            let problem = format!(
                "{place}: field `command` names a program to run, which is not allowed by default"
            );
            let hint = "if you trust these rows, add --allow-commands";
            return Err(SettingsError::with_hint(problem, hint).into());
        }
        announce_origins(dataset.as_ref(), settings.engine.allow_local)?;
        let (engine, judge) = engine::open(
            &settings.engine,
            Some(&settings.benchmark),
            settings.grader.judge.as_ref(),
        )?;
        let (grader, further) = grader::open(&settings.grader, dataset.as_ref(), judge.as_ref())?;
        let runtime = runtime()?;
        for grader in [&grader].into_iter().chain(further.iter()) {
            runtime.block_on(grader.check())?;
        }
        let recording = engine.main_model().provider.recording();
        if let Some(recording) = &recording
            && recording.root_turns > settings.engine.treatment.iterations.max_iterations
        {
            terminal::warning(&format!(
                "the recording contains attempts with {} iterations, but --max-iterations {} ends \
                 them early",
                recording.root_turns, settings.engine.treatment.iterations.max_iterations
            ));
        }
        if let Some(difference) =
            dataset_difference(settings.engine.references.main().as_str(), dataset.as_ref())
        {
            terminal::warning(&difference);
        }
        let recorded = recording.map(|recording| samples(recording, dataset.as_ref()));
        for note in dataset.notes() {
            terminal::note(note);
        }
        let selected = select(dataset.as_ref(), &settings.selection, recorded.as_deref())?;
        for note in &selected.notes {
            terminal::note(note);
        }
        if selected.indices.is_empty() {
            terminal::note("no sample matches, so nothing was run");
            return Ok(None);
        }
        warn_without_contexts(dataset.as_ref(), settings);
        let models = models::parts(&settings.engine, &settings.benchmark, engine.models());
        let fingerprint =
            config::fingerprint(settings, dataset.as_ref(), &grader.identity(), models);
        Ok(Some(Self {
            dataset,
            engine,
            grader,
            further,
            web: None,
            samples: selected.indices,
            whole: selected.whole,
            attempts: settings.attempts,
            fingerprint,
        }))
    }

    /// Starts a browser if samples need one.
    ///
    /// # Errors
    /// [`Error::Browser`] if no browser is installed or it does not start.
    pub(in crate::command) async fn with_browser(
        mut self,
        settings: &RunSettings,
    ) -> Result<Self, Error> {
        let Some(first) = self.samples.first() else {
            return Ok(self);
        };
        let id = self.id(*first);
        let subject = protocol_fit::subject(self.dataset.as_ref(), &id).map_err(OpenError::from)?;
        if subject != InputKind::Texts {
            let how = WebSettings {
                browsers: settings.conduct.concurrency,
                trust_pages: settings.engine.trust_pages,
                allow_local: settings.engine.allow_local,
                is_visible: false,
            };
            let web = Web::open(EnvironmentSource::Dataset(Arc::clone(&self.dataset)), how).await?;
            let web = Arc::new(web);
            self.engine = self
                .engine
                .with_browser(Arc::clone(&web) as Arc<dyn Browser>);
            self.web = Some(web);
        }
        Ok(self)
    }

    /// Returns the identity of the run with this id: the values that all its records share.
    pub(in crate::command) fn identity(&self, settings: &RunSettings, run_id: &str) -> RunIdentity {
        let (name, engine) = (self.dataset.name(), &self.engine);
        RunIdentity {
            dataset_digest: self.dataset.digest().to_owned(),
            scorer: self.grader.name().to_owned(),
            ..config::identity(&settings.engine, engine, run_id, name, &self.fingerprint)
        }
    }

    /// Returns the part of the run's name that describes the root agent: its mode or protocol, its
    /// prompt and its drivers.
    pub(in crate::command) fn root_label(settings: &RunSettings) -> String {
        const LONGEST: usize = 48;
        let engine = &settings.engine;
        let mut way = engine.effective.word(engine.treatment.protocol).to_owned();
        let prompt = settings.flags.pointer("/engine/guidance/layers/prompt");
        let prompt = prompt.and_then(|prompt| Path::new(prompt.as_str()?).file_stem());
        if let Some(prompt) = prompt {
            way += &format!("-{}", prompt.to_string_lossy());
        }
        let drivers = &engine.effective.drivers;
        let names = drivers.join("-");
        if names.len() > LONGEST {
            way += &format!("-{}-drivers", drivers.len());
        } else if !names.is_empty() {
            way += &format!("-{names}");
        }
        way
    }

    /// Returns the selected samples as indices into the dataset.
    pub(in crate::command) fn samples(&self) -> &[usize] {
        &self.samples
    }

    /// Returns all attempts, grouped by sample, so that each sample is loaded once and is in memory
    /// only while its attempts run.
    pub(in crate::command) fn jobs(&self) -> Vec<(usize, u32)> {
        let samples = self.samples.iter();
        samples
            .flat_map(|sample| (1..=self.attempts).map(|attempt| (*sample, attempt)))
            .collect()
    }

    /// Builds the `config.json` of the run.
    pub(super) fn config(&self, settings: &RunSettings, identity: &RunIdentity) -> Value {
        let attempts = u64::from(self.attempts);
        let (own, whole) = (self.samples.len() as u64, self.whole as u64);
        let order = self.order();
        config::config(settings, identity, own * attempts, whole * attempts, &order)
    }

    /// Checks that an existing run can be resumed with this prepared run, and returns the remaining
    /// work. `begun` contains the settings of the existing run if they select samples in another
    /// way.
    ///
    /// # Errors
    /// [`ResumeError`] that names the differences, and [`Error`] for samples that cannot be
    /// selected.
    pub(super) fn remaining(
        &self,
        run: &Reopened,
        policy: ResumePolicy,
        begun: Option<&RunSettings>,
    ) -> Result<Remaining, Error> {
        check_experiment(run, &self.fingerprint, policy.allow_program_change)?;
        let id = |sample| self.id(sample);
        let remaining = remaining(run, self.jobs(), id, policy.retry_errors)?;
        if let Some(begun) = begun
            && let Some(id) = self.first_missing(begun)?
        {
            let path = run.path.clone();
            return Err(ResumeError::FewerSamples { path, id }.into());
        }
        Ok(remaining)
    }

    /// Returns the first sample that is selected by `begun` but not by this run, if any.
    fn first_missing(&self, begun: &RunSettings) -> Result<Option<String>, Error> {
        let dataset = benchmarks::open(&begun.benchmark, &begun.benchmark_options)?;
        let recording = self.engine.main_model().provider.recording();
        let recorded = recording.map(|recording| samples(recording, dataset.as_ref()));
        let selected = select(dataset.as_ref(), &begun.selection, recorded.as_deref())?;
        let own: HashSet<String> = self.order().into_iter().collect();
        let ids = dataset.ids();
        let mut selected = selected.indices.iter().map(|index| &ids[*index]);
        Ok(selected.find(|id| !own.contains(*id)).cloned())
    }

    /// Returns the ids of the selected samples in run order.
    pub(in crate::command) fn order(&self) -> Vec<String> {
        self.samples.iter().map(|index| self.id(*index)).collect()
    }

    pub(in crate::command) fn id(&self, sample: usize) -> String {
        self.dataset.ids()[sample].clone()
    }
}

/// Maximum third-party origins printed before the start.
const MAX_LISTED: usize = 20;

/// Prints the third-party origins that rows allow pages to reach.
///
/// # Errors
/// [`SettingsError`] if an origin is on this machine or in a private network and that is not
/// allowed.
fn announce_origins(dataset: &dyn Dataset, allow_local: bool) -> Result<(), SettingsError> {
    let foreign = dataset.foreign_origins();
    let is_local = |origin: &str| {
        origin
            .parse::<Origin>()
            .is_ok_and(|origin| origin.is_local())
    };
    if let Some(local) = foreign
        .iter()
        .find(|one| !allow_local && is_local(&one.origin))
    {
        let problem = format!(
            "{}: field `{}` names {}, which is on this machine or in a private network; expected a public address",
            local.place, local.field, local.origin
        );
        let hint = "if you trust these rows, add --allow-local";
        return Err(SettingsError::with_hint(problem, hint));
    }
    let mut listed: Vec<String> = foreign
        .iter()
        .take(MAX_LISTED)
        .map(|one| one.origin.clone())
        .collect();
    if foreign.len() > MAX_LISTED {
        listed.push(format!("{} more", foreign.len() - MAX_LISTED));
    }
    if !listed.is_empty() {
        terminal::note(&format!(
            "pages of these rows may reach {}",
            listed.join(", ")
        ));
    }
    Ok(())
}

/// Returns a warning if the run directory to replay was recorded with different samples.
fn dataset_difference(model: &str, dataset: &dyn Dataset) -> Option<String> {
    let folder = Path::new(model.strip_prefix("replay:")?);
    // Other kinds of recordings do not name their dataset.
    let recorded = run_dir::read_lock(folder).ok()?.run;
    let differs = if recorded.benchmark != dataset.name() {
        format!("of the benchmark {}", recorded.benchmark)
    } else if recorded.dataset_digest != dataset.digest() {
        "of a dataset with other samples under these ids, or of another size; its config.json \
         states the recorded --seed, --context-len, --samples-per-length or --data-dir"
            .to_owned()
    } else {
        return None;
    };
    Some(format!("the recording is {differs}"))
}

/// Returns the samples of a recording in order. A cassette stores samples in the order in which
/// their calls ended, so they are sorted into the dataset order of the recorded run.
fn samples(recording: Recording, dataset: &dyn Dataset) -> Vec<String> {
    let mut samples = recording.samples;
    if recording.cassette.is_some() {
        let ids = dataset.ids().iter().zip(0..);
        let places: HashMap<&String, usize> = ids.collect();
        samples.sort_by_key(|id| places.get(id).copied());
    }
    samples
}
