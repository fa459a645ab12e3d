//! Reads cassettes, which contain a header and a line for each call.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::file::{ReplayError, format_error, lines};
use super::recorded_run::{Key, RecordedOutcome, RecordedRun};
use crate::model::lenient_json;
use crate::provider::record::{CassetteHeader, RecordedCall, VERSION};

/// Parses the header. Returns `None` if the file does not begin with one.
pub(super) fn header(bytes: &[u8]) -> Option<CassetteHeader> {
    lenient_json::from_slice(lines(bytes).next()?).ok()
}

/// Reads a cassette. Of several lines for the same call, only the last counts, because the others
/// belong to attempts that were rerun. Skips truncated lines, whose attempts were rerun or never
/// ended.
pub(super) fn read(
    path: &Path,
    header: CassetteHeader,
    bytes: &[u8],
) -> Result<RecordedRun, ReplayError> {
    if header.cassette > VERSION {
        let problem = format!(
            "unsupported cassette version {}: this program reads versions up to {VERSION}",
            header.cassette
        );
        return Err(format_error(path, problem));
    }
    let mut samples = Vec::new();
    let mut known = HashSet::new();
    let mut responses = HashMap::new();
    for (number, line) in lines(bytes).enumerate().skip(1) {
        let call = match lenient_json::from_slice::<RecordedCall>(line) {
            Ok(call) => call,
            // The line is empty or truncated.
            Err(error) if error.is_eof() => continue,
            Err(error) => {
                let problem = format!("line {} is not a recorded call: {error}", number + 1);
                return Err(format_error(path, problem));
            }
        };
        if known.insert(call.caller.sample.clone()) {
            samples.push(call.caller.sample.clone());
        }
        let heard = RecordedOutcome {
            cached: call.cached,
            events: call.events,
            result: call.result,
        };
        responses.insert(Key::of(&call.caller, true), heard);
    }
    Ok(RecordedRun {
        samples,
        responses,
        has_attempts: true,
        cassette: Some(header),
    })
}
