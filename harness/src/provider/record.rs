//! Cassettes: everything that the models of a run said and did not say, in a file that plays it back.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallEvent, CallSink, Caller, Provider, ProviderError, Recording, Request, Response};

/// Version of the format; the first line carries it as `cassette`.
pub(super) const VERSION: u32 = 1;

/// The first line of a cassette: whose responses it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CassetteHeader {
    cassette: u32,
    /// The main model's reference.
    pub model: String,
    /// The references of the aliased ones.
    pub aliases: BTreeMap<String, String>,
    /// What of the models can change an answer, by the name of its part of a fingerprint.
    pub identity: BTreeMap<String, Value>,
}

impl CassetteHeader {
    /// The header of a new cassette.
    pub const fn new(
        model: String,
        aliases: BTreeMap<String, String>,
        identity: BTreeMap<String, Value>,
    ) -> Self {
        Self {
            cassette: VERSION,
            model,
            aliases,
            identity,
        }
    }

    /// The version that it was written in.
    pub(super) const fn version(&self) -> u32 {
        self.cassette
    }
}

/// Any further line: one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedCall {
    pub caller: Caller,
    /// Whether the answer came from a cache, so that nothing was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// What happened on the way.
    pub events: Vec<CallEvent>,
    pub result: Result<Response, ProviderError>,
}

/// A cassette that is being recorded. All models of a run share it.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    file: Mutex<File>,
}

impl Cassette {
    /// Makes a cassette. With `append`, one that is there goes on; else there must be none.
    ///
    /// # Errors
    /// The system's, such as that the file exists already.
    pub fn open(path: &Path, header: &CassetteHeader, append: bool) -> io::Result<Arc<Self>> {
        let mut options = OpenOptions::new();
        options.append(true);
        if append {
            options.create(true);
        } else {
            options.create_new(true);
        }
        let file = options.open(path)?;
        let is_new = file.metadata()?.len() == 0;
        let cassette = Self {
            path: path.to_owned(),
            file: Mutex::new(file),
        };
        if is_new {
            cassette.write(header)?;
        } else {
            // A line that was torn when an earlier start was killed stays apart from the next.
            cassette.lock().write_all(b"\n")?;
        }
        Ok(Arc::new(cassette))
    }

    fn write(&self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.lock().write_all(&bytes)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Recording around a provider.
pub struct Recorded<P> {
    inner: P,
    cassette: Arc<Cassette>,
}

impl<P> Recorded<P> {
    /// Records what a provider says.
    pub const fn new(inner: P, cassette: Arc<Cassette>) -> Self {
        Self { inner, cassette }
    }
}

impl<P> Recorded<P> {
    fn record(
        &self,
        request: &Request,
        cached: bool,
        events: Vec<CallEvent>,
        result: Result<Response, ProviderError>,
        calls: Option<&dyn CallSink>,
    ) -> Result<Response, ProviderError> {
        let call = RecordedCall {
            caller: request.caller.clone(),
            cached,
            events,
            result,
        };
        match self.cassette.write(&call) {
            Ok(()) => call.result,
            Err(error) => {
                if let Some(calls) = calls {
                    bill(&call.result, calls);
                }
                Err(ProviderError::Store {
                    message: format!(
                        "cannot write the cassette {}: {error}",
                        self.cassette.path.display()
                    ),
                })
            }
        }
    }
}

#[async_trait]
impl<P: Provider> Provider for Recorded<P> {
    /// # Errors
    /// The inner provider's, and [`ProviderError::Store`] if the cassette cannot be written: a response that it lacks
    /// would be missed only when it is played back.
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let heard = Heard {
            calls,
            events: Mutex::default(),
        };
        let result = self.inner.complete(request, &heard).await;
        let events = heard.events.into_inner();
        let events = events.unwrap_or_else(PoisonError::into_inner);
        self.record(request, false, events, result, Some(calls))
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let result = self.inner.recall(request).await?;
        Some(self.record(request, true, Vec::new(), result, None))
    }

    fn recording(&self) -> Option<Recording> {
        self.inner.recording()
    }
}

/// Tells what an answer took that nobody gets, so that it is paid all the same.
pub(super) fn bill(result: &Result<Response, ProviderError>, calls: &dyn CallSink) {
    let response = match result {
        Ok(response) => response,
        Err(ProviderError::Truncated { response }) => response,
        Err(_) => return,
    };
    calls.note(CallEvent::Billed {
        usage: response.usage.unwrap_or_default(),
        cost_usd: response.cost_usd,
    });
}

/// Takes events down and passes them on.
struct Heard<'a> {
    calls: &'a dyn CallSink,
    events: Mutex<Vec<CallEvent>>,
}

impl CallSink for Heard<'_> {
    fn note(&self, event: CallEvent) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(event.clone());
        drop(events);
        self.calls.note(event);
    }
}
