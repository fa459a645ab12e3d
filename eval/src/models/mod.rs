//! Opens the models of a run with their policies: retries, rate limits, cache and recording.

mod identity;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness::provider::http::{HttpClient, HttpError, HttpProvider};
use harness::provider::{
    CacheError, Cached, Cassette, CassetteHeader, Limited, Limiter, MaybeShared, PriceTable,
    Priced, Provider, Recorded, ResponseCache, Retry, Sampling,
};
use harness::{Model, ModelMap, ModelSlot};

pub use identity::{judge_identity, main_identity, parts};

use crate::process::terminal;
use crate::providers::{ModelRef, Named, OfflineError, SCRIPTED_JUDGE};
use crate::settings::{EngineSettings, JudgeSettings, ModelSettings, Server, TrafficArgs};

/// Reason why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A provider without a server cannot be opened.
    #[error(transparent)]
    Offline(OfflineError),
    /// The server of a model cannot be used.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The response cache cannot be used.
    #[error("--cache: {0}")]
    Cache(#[from] CacheError),
    /// The cassette cannot be created.
    #[error("--record: cannot record to {}: {reason}", .path.display())]
    Cassette {
        /// Path of the cassette.
        path: PathBuf,
        /// Cause reported by the system.
        reason: io::Error,
    },
    /// The settings lack the server of a model.
    #[error("`{0}`: the settings for its server are missing")]
    NoServer(ModelRef),
}

/// Opens the models of a run's agents and the judge's model, each with the configured policies.
/// `benchmark` resolves the reference `scripted`. Sends no requests.
///
/// # Errors
/// [`ModelError`] for the first model that cannot be opened.
pub fn open(
    settings: &EngineSettings,
    benchmark: Option<&str>,
    judge: Option<&JudgeSettings>,
) -> Result<(ModelMap<Model>, Option<Model>), ModelError> {
    let servers = open_servers(&settings.models)?;
    let sampling = Arc::new(settings.models.sampling.clone());
    let cassette = open_cassette(settings, benchmark)?;
    let mut stack = Stack::new(
        &settings.traffic,
        &settings.prices,
        settings.store.cache.as_deref(),
    )?;
    stack.shared = settings.shared_pace.clone();
    let open_one = |slot: &ModelSlot, reference: &ModelRef| -> Result<Model, ModelError> {
        let mut model = open_bare(reference, &servers, benchmark, &sampling)?;
        if let Some(recorded) = recorded_as(model.provider.as_ref(), slot) {
            model.reference = recorded;
        }
        let is_recording = model.provider.recording().is_some();
        let model = stack.around(model, reference, &settings.models);
        let provider: Arc<dyn Provider> = match &cassette {
            Some(cassette) if !is_recording => {
                Arc::new(Recorded::new(model.provider, Arc::clone(cassette)))
            }
            _ => model.provider,
        };
        Ok(Model { provider, ..model })
    };
    let models = settings.references.try_map(open_one)?;
    let judge = judge.map(|judge| stack.judge(judge)).transpose()?;
    Ok((models, judge))
}

/// Opens the model of a judge without the models of agents.
///
/// # Errors
/// [`ModelError`].
pub fn open_judge(
    judge: &JudgeSettings,
    traffic: &TrafficArgs,
    prices: &PriceTable,
    cache: Option<&Path>,
) -> Result<Model, ModelError> {
    Stack::new(traffic, prices, cache)?.judge(judge)
}

/// Opens the cassette that a run records to.
fn open_cassette(
    settings: &EngineSettings,
    benchmark: Option<&str>,
) -> Result<Option<Arc<Cassette>>, ModelError> {
    let Some(path) = &settings.store.record else {
        return Ok(None);
    };
    let models = settings.references.iter();
    let others = models.filter_map(|(slot, model)| Some((cassette_key(slot)?, model.to_string())));
    let header = CassetteHeader::new(
        settings.references.main().to_string(),
        others.collect(),
        identity::new_parts(settings, benchmark.unwrap_or_default()),
    );
    let goes_on = settings.append_cassette;
    if goes_on && !path.exists() {
        terminal::warning(&format!(
            "the cassette {} is missing; recording a new one without the earlier responses",
            path.display()
        ));
    }
    let opened = Cassette::open(path, &header, goes_on);
    Ok(Some(opened.map_err(|reason| ModelError::Cassette {
        path: path.clone(),
        reason,
    })?))
}

/// If the provider replays a cassette, returns the model's name in it, so that the records of a
/// replayed run equal those of the recorded run.
fn recorded_as(provider: &dyn Provider, slot: &ModelSlot) -> Option<String> {
    let header = provider.recording()?.cassette?;
    match cassette_key(slot) {
        None => Some(header.model),
        Some(key) => header.aliases.get(&key).cloned(),
    }
}

/// Returns the key of a slot among the aliases of a cassette's header; `None` for the main model.
fn cassette_key(slot: &ModelSlot) -> Option<String> {
    match slot {
        ModelSlot::Main => None,
        ModelSlot::Alias(name) => Some(name.clone()),
        slot => Some(slot.to_string()),
    }
}

/// Policies around the providers of a run. Rate limits apply to each request, including retries;
/// the cache and prices apply to each call.
struct Stack<'a> {
    traffic: &'a TrafficArgs,
    prices: &'a PriceTable,
    limiters: HashMap<String, Arc<Limiter>>,
    /// Request rate shared with other processes.
    shared: MaybeShared,
    cache: Option<Arc<ResponseCache>>,
}

impl<'a> Stack<'a> {
    fn new(
        traffic: &'a TrafficArgs,
        prices: &'a PriceTable,
        cache: Option<&Path>,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            traffic,
            prices,
            limiters: HashMap::new(),
            shared: MaybeShared::default(),
            cache: cache.map(ResponseCache::open).transpose()?,
        })
    }

    fn around(&mut self, model: Model, reference: &ModelRef, models: &ModelSettings) -> Model {
        // Policies were already applied when the responses were recorded.
        if model.provider.recording().is_some() {
            return model;
        }
        // Models of one endpoint share a limiter.
        let endpoint = reference.provider();
        let limiter = self.limiters.entry(endpoint.to_owned()).or_insert_with(|| {
            Arc::new(Limiter::shared(endpoint, self.traffic.pace(), &self.shared))
        });
        let limited = Arc::new(Limited::new(model.provider, Arc::clone(limiter)));
        let mut provider: Arc<dyn Provider> = Arc::new(Retry::new(limited, self.traffic.retry()));
        if let Some(cache) = &self.cache {
            let server = models.servers.get(endpoint);
            let url = server.map_or("", |server| server.base_url.as_str());
            let mut server = format!("{endpoint} {url}");
            for header in models.headers() {
                server.push_str(&format!("\n{header}"));
            }
            provider = Arc::new(Cached::new(provider, Arc::clone(cache), server));
        }
        let prices = self.prices.clone();
        provider = Arc::new(Priced::new(provider, model.reference.clone(), prices));
        Model { provider, ..model }
    }

    /// Opens the model of a judge. Its responses are not recorded, because cassettes contain only
    /// responses to agents.
    fn judge(&mut self, settings: &JudgeSettings) -> Result<Model, ModelError> {
        let servers = open_servers(&settings.models)?;
        let sampling = Arc::new(settings.models.sampling.clone());
        let model = open_bare(&settings.model, &servers, Some(SCRIPTED_JUDGE), &sampling)?;
        Ok(self.around(model, &settings.model, &settings.models))
    }
}

fn open_servers(settings: &ModelSettings) -> Result<HashMap<&str, Arc<dyn Provider>>, ModelError> {
    let mut servers: HashMap<&str, Arc<dyn Provider>> = HashMap::new();
    if settings.servers.is_empty() {
        return Ok(servers);
    }
    let log = settings.request_recorder.clone();
    let mut http = HttpClient::new(settings.timeouts)?;
    http.longest_response = settings.longest_response;
    http.log = log.map(|log| log as _);
    for (prefix, server) in &settings.servers {
        let provider = open_server(server, http.clone(), settings.stream)?;
        servers.insert(prefix, Arc::new(provider));
    }
    Ok(servers)
}

/// Opens a model server.
///
/// # Errors
/// [`ModelError::Http`].
pub fn open_server(
    server: &Server,
    http: HttpClient,
    stream: bool,
) -> Result<HttpProvider, ModelError> {
    let headers = server.headers.iter().map(|header| header.sent.clone());
    Ok(HttpProvider::open(
        server.endpoint,
        &server.base_url,
        server.key.clone(),
        headers.collect(),
        http,
        stream,
    )?)
}

/// Opens a model without policies.
fn open_bare(
    reference: &ModelRef,
    servers: &HashMap<&str, Arc<dyn Provider>>,
    benchmark: Option<&str>,
    sampling: &Arc<Sampling>,
) -> Result<Model, ModelError> {
    let (provider, name) = match reference.named() {
        Named::OnServer(endpoint, name) => {
            let server = servers.get(endpoint.name.as_str()).map(Arc::clone);
            let server = server.ok_or_else(|| ModelError::NoServer(reference.clone()))?;
            (server, name.to_owned())
        }
        Named::Offline(provider, rest) => {
            (provider.open)(rest, benchmark).map_err(ModelError::Offline)?
        }
    };
    Ok(Model {
        reference: reference.to_string(),
        name,
        sampling: Arc::clone(sampling),
        provider,
    })
}
