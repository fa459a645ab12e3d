//! Cassettes, which are files with all responses and errors of a run's models for later playback.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallEvent, CallSink, Caller, Forecast, Provider, ProviderError, Request, Response};

/// Version of the format, stored in the first line as `cassette`.
pub(super) const VERSION: u32 = 1;

/// First line of a cassette, which identifies the models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CassetteHeader {
    /// Version of the format.
    pub(super) cassette: u32,
    /// Reference of the main model.
    pub model: String,
    /// References of the aliased models.
    pub aliases: BTreeMap<String, String>,
    /// Properties of the models that can change an answer, keyed by their names in the fingerprint.
    pub identity: BTreeMap<String, Value>,
}

impl CassetteHeader {
    /// Creates the header of a new cassette.
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
}

/// A line of a cassette after the header: one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedCall {
    pub caller: Caller,
    /// Whether the response came from a cache instead of a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    pub events: Vec<CallEvent>,
    pub result: Result<Response, ProviderError>,
}

/// A cassette that is being recorded, shared by all models of a run.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    tape: Mutex<CassetteWriter<File>>,
}

/// Writes lines, and starts a new line after an incomplete one.
#[derive(Debug)]
struct CassetteWriter<W> {
    file: W,
    /// Whether the last line may be incomplete.
    is_torn: bool,
}

impl<W: io::Write> CassetteWriter<W> {
    /// Writes a line, after a line feed if the last line may be incomplete.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.write_all(b"\n")?;
        }
        self.is_torn = true;
        self.file.write_all(line)?;
        self.is_torn = false;
        Ok(())
    }
}

impl Cassette {
    /// Opens a cassette. With `append`, an existing file is extended; it must be empty or a
    /// cassette of the same models. Otherwise, the file must not exist.
    ///
    /// # Errors
    /// Returns the error of the operating system, for example because the file already exists, or
    /// [`io::ErrorKind::InvalidData`] if the file is not a cassette of these models.
    pub fn open(path: &Path, header: &CassetteHeader, append: bool) -> io::Result<Arc<Self>> {
        let mut options = OpenOptions::new();
        options.append(true);
        if append {
            options.create(true);
        } else {
            options.create_new(true);
        }
        if append && path.exists() {
            check_header(path, header)?;
        }
        let file = options.open(path)?;
        let is_new = file.metadata()?.len() == 0;
        let cassette = Self {
            path: path.to_owned(),
            tape: Mutex::new(CassetteWriter {
                file,
                // A killed process may have left an incomplete line.
                is_torn: !is_new,
            }),
        };
        if is_new {
            cassette.write(header)?;
        }
        Ok(Arc::new(cassette))
    }

    fn write(&self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let mut tape = self.tape.lock();
        tape.write(&bytes)
    }
}

/// Checks that a file is empty or a cassette of the same models, because any other file must not be
/// changed.
fn check_header(path: &Path, header: &CassetteHeader) -> io::Result<()> {
    let wrong = |problem: &str| Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    let metadata = path.symlink_metadata()?;
    if !metadata.is_file() {
        return wrong("expected a regular file");
    }
    if metadata.len() == 0 {
        return Ok(());
    }
    let mut line = String::new();
    BufReader::new(File::open(path)?)
        .take(MAX_HEADER_BYTES)
        .read_line(&mut line)?;
    match serde_json::from_str::<CassetteHeader>(&line) {
        Ok(found) if found.model == header.model && found.aliases == header.aliases => Ok(()),
        Ok(_) => wrong(
            "it was recorded with other models; expected a new file or a cassette of these models",
        ),
        Err(_) => wrong("it is not a cassette; expected a new file or a cassette of these models"),
    }
}

/// Maximum bytes of a cassette's header line.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// A provider that records its calls.
pub struct Recorded {
    inner: Arc<dyn Provider>,
    cassette: Arc<Cassette>,
}

impl Recorded {
    /// Adds recording to a provider.
    pub const fn new(inner: Arc<dyn Provider>, cassette: Arc<Cassette>) -> Self {
        Self { inner, cassette }
    }

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
impl Provider for Recorded {
    /// # Errors
    /// Returns the errors of the inner provider, and [`ProviderError::Store`] if the cassette
    /// cannot be written. Ignoring that error would hide the missing response until playback.
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let heard = RecordingSink {
            calls,
            events: Mutex::default(),
        };
        let result = self.inner.complete(request, &heard).await;
        let events = heard.events.into_inner();
        self.record(request, false, events, result, Some(calls))
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let result = self.inner.recall(request).await?;
        Some(self.record(request, true, Vec::new(), result, None))
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        self.inner.forecast(request)
    }
}

/// Reports the usage of a response that is billed although it is discarded.
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

struct RecordingSink<'a> {
    calls: &'a dyn CallSink,
    events: Mutex<Vec<CallEvent>>,
}

#[async_trait]
impl CallSink for RecordingSink<'_> {
    fn note(&self, event: CallEvent) {
        let mut events = self.events.lock();
        events.push(event.clone());
        drop(events);
        self.calls.note(event);
    }

    async fn may_send_again(&self) -> bool {
        self.calls.may_send_again().await
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::CassetteWriter;

    /// A disk with limited space.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room);
            if fits == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= fits;
            self.bytes.extend_from_slice(&bytes[..fits]);
            Ok(fits)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn separates_torn_line_from_next() {
        // Columns: the lines, each with the available space in bytes, and the resulting file.
        let rows: [(&[(&str, usize)], &str); 5] = [
            (&[("aa\n", 9), ("bb\n", 9)], "aa\nbb\n"),
            (&[("aa\n", 1), ("bb\n", 9), ("cc\n", 9)], "a\nbb\ncc\n"),
            (&[("aa\n", 2), ("bb\n", 2), ("cc\n", 9)], "aa\nb\ncc\n"),
            (&[("aa\n", 2), ("bb\n", 0), ("cc\n", 9)], "aa\ncc\n"),
            (&[("aa\n", 9), ("bb\n", 0), ("cc\n", 9)], "aa\n\ncc\n"),
        ];
        for (lines, wanted) in rows {
            let disk = Disk {
                bytes: Vec::new(),
                room: 0,
            };
            let mut tape = CassetteWriter {
                file: disk,
                is_torn: false,
            };
            for (line, room) in lines {
                tape.file.room = *room;
                let is_written = tape.write(line.as_bytes()).is_ok();
                assert_eq!(is_written, *room >= 9, "{lines:?}");
            }
            assert_eq!(String::from_utf8_lossy(&tape.file.bytes), wanted);
        }
    }
}
