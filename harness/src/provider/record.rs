//! Cassettes: everything that the models of a run said and did not say, in a file that plays it back.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    CallEvent, CallSink, Caller, Estimate, Provider, ProviderError, Recording, Request, Response,
};

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
    tape: Mutex<Tape<File>>,
}

/// What lines are written to.
#[derive(Debug)]
struct Tape<W> {
    file: W,
    /// Whether the last line may lack its end.
    is_torn: bool,
}

impl<W: io::Write> Tape<W> {
    /// Writes a line, apart from one that is torn.
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
    /// Creates a cassette. With `append`, calls are added to an existing one, whose header has to be this one;
    /// otherwise the file must not exist.
    ///
    /// # Errors
    /// The system's, such as that the file exists already, and [`io::ErrorKind::InvalidData`] for a file
    /// that is not a cassette of these models.
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
            tape: Mutex::new(Tape {
                file,
                // An earlier start may have been killed within a line.
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

/// Checks that a file is a cassette with this header, or empty. Anything else is somebody's file.
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
        Ok(_) => wrong("it is a cassette of other models; calls are added only to the run's own"),
        Err(_) => wrong("it is not a cassette, so nothing is added to it"),
    }
}

/// Maximum bytes of a cassette's first line.
const MAX_HEADER_BYTES: u64 = 1 << 20;

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
        self.record(request, false, events, result, Some(calls))
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let result = self.inner.recall(request).await?;
        Some(self.record(request, true, Vec::new(), result, None))
    }

    fn recording(&self) -> Option<Recording> {
        self.inner.recording()
    }

    fn estimate(&self, request: &Request) -> Option<Estimate> {
        self.inner.estimate(request)
    }
}

/// Reports the usage of a response that is discarded, since it is billed all the same.
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
        let mut events = self.events.lock();
        events.push(event.clone());
        drop(events);
        self.calls.note(event);
    }

    fn may_send_again(&self) -> bool {
        self.calls.may_send_again()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::Tape;

    /// A disk with room for so many bytes.
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
    fn a_line_that_is_torn_stays_apart_from_the_next() {
        // Lines, each with the room that there is for it, and what the file is then.
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
            let mut tape = Tape {
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
