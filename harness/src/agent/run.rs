//! State shared by all attempts of an engine: settings, models, sandbox, ledger and halt switch.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sandbox::WarmPool;

use super::{
    BudgetExceeded, CallerRole, Conduct, Expense, ExternalBudget, Halt, Hold, Ledger, ModelMap,
    Person, Reservation, Scope, Treatment,
};
use crate::model::Sampling;
use crate::model::web::Browser;
use crate::provider::Provider;

/// A model with its provider and settings.
#[derive(Clone)]
pub struct Model {
    /// Reference as the user wrote it, for example `PROVIDER/MODEL`.
    pub reference: String,
    /// Name of the model at the provider.
    pub name: String,
    /// Sampling settings.
    pub sampling: Arc<Sampling>,
    /// Provider that runs the model.
    pub provider: Arc<dyn Provider>,
}

pub(crate) struct Run {
    pub treatment: Treatment,
    pub conduct: Conduct,
    pub models: ModelMap<Model>,
    pub sandbox: WarmPool,
    pub ledger: Arc<Ledger>,
    /// Budget managed outside this process, if any.
    pub external_budget: Option<Arc<dyn ExternalBudget>>,
    pub halt: Halt,
    /// Browser for protocols and benchmarks that use web pages.
    pub browser: Option<Arc<dyn Browser>>,
    /// Person who takes part in dialogues, if any.
    pub person: Option<Arc<dyn Person>>,
    /// Versions under which servers first served the models, by model reference.
    served: Mutex<HashMap<String, Served>>,
    warn: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Version under which a server first served a model.
struct Served {
    version: String,
    /// Whether the version has changed since. Only the first change is reported.
    changed: bool,
}

impl Run {
    /// Creates a run without any spending.
    pub fn new(
        treatment: Treatment,
        conduct: Conduct,
        models: ModelMap<Model>,
        sandbox: WarmPool,
        warn: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> Self {
        Self {
            ledger: Ledger::new(Scope::Run, conduct.budget, None),
            treatment,
            conduct,
            models,
            sandbox,
            external_budget: None,
            halt: Halt::default(),
            browser: None,
            person: None,
            served: Mutex::default(),
            warn,
        }
    }

    /// Reserves the expected expense of a call in the external budget, if any.
    ///
    /// # Errors
    /// Returns [`BudgetExceeded`] if the call does not fit.
    pub async fn hold(&self, expense: Expense) -> Result<Option<Hold>, BudgetExceeded> {
        let Some(external_budget) = &self.external_budget else {
            return Ok(None);
        };
        let held = external_budget.reserve(expense).await;
        let scope = Scope::Run;
        held.map(Some)
            .map_err(|error| BudgetExceeded { scope, error })
    }

    /// Reserves the expected expense of a call in the external budget, if any, and in a ledger.
    /// Waits while other calls in progress leave no room.
    ///
    /// # Errors
    /// Returns [`BudgetExceeded`] if the call does not fit.
    pub async fn reserve(
        &self,
        ledger: &Arc<Ledger>,
        expense: Expense,
    ) -> Result<Reservation, BudgetExceeded> {
        let hold = self.hold(expense).await?;
        Ok(ledger.reserve(expense).await?.with_hold(hold))
    }

    /// Records the version that a server reported for a model, and warns about the first change.
    pub fn note_served(&self, model: &Model, version: &str) {
        let mut served = self.served.lock();
        let known = served
            .entry(model.reference.clone())
            .or_insert_with(|| Served {
                version: version.to_owned(),
                changed: false,
            });
        if known.version == version || known.changed {
            return;
        }
        known.changed = true;
        // On playback, the versions are those of the recording, so there is no warning.
        if model.provider.recording().is_some() {
            return;
        }
        (self.warn)(&format!(
            "{} was first served as {} and is now served as {version}: the run's answers come from different models",
            model.reference, known.version
        ));
    }

    /// Returns the run's main model with the reasoning settings of the root's definition.
    pub fn root_model(&self) -> Model {
        let main = self.models.main();
        Model {
            sampling: Arc::new(self.treatment.root.reasoning_over(&main.sampling)),
            ..main.clone()
        }
    }

    /// Returns the model named by a definition: `default`, an alias, or the reference of one of the
    /// run's models.
    pub fn model_of_definition(&self, name: &str, depth: u32) -> Result<Model, String> {
        if name == "default" {
            return self.model(None, CallerRole::Agent, depth);
        }
        let mut all = self.models.iter();
        match all.find(|(_, model)| model.reference == name) {
            Some((_, model)) => Ok(model.clone()),
            None => self.model(Some(name), CallerRole::Agent, depth),
        }
    }

    /// Returns the model named by a call, or else the default for the role and depth.
    pub fn model(
        &self,
        alias: Option<&str>,
        role: CallerRole,
        depth: u32,
    ) -> Result<Model, String> {
        let Some(alias) = alias else {
            return Ok(self.models.of(role, depth).clone());
        };
        self.models.alias(alias).cloned().ok_or_else(|| {
            let mut known: Vec<&str> = self.models.aliases().map(|(name, _)| name).collect();
            known.sort_unstable();
            if known.is_empty() {
                format!("unknown model alias '{alias}': this run has no aliases; leave `model` out")
            } else {
                format!(
                    "unknown model alias '{alias}'; known aliases: {}",
                    known.join(", ")
                )
            }
        })
    }
}
