//! `replay`: returns the responses that an earlier run recorded.

use std::path::Path;
use std::sync::Arc;

use harness::provider::Replay;

use super::{Offline, OfflineError, Opened, content_identity};

pub(super) static PROVIDER: Offline = Offline {
    name: "replay",
    forms: &[("replay:FILE", "the responses that an earlier run recorded")],
    plays_back: true,
    takes: |rest| rest.starts_with(':') && rest.len() > 1,
    open,
    identity: |rest, _| content_identity("replay", path(rest)),
};

fn open(rest: &str, _: Option<&str>) -> Result<Opened, OfflineError> {
    let path = path(rest);
    let provider = Replay::open(Path::new(path))?;
    Ok((Arc::new(provider), path.to_owned()))
}

fn path(rest: &str) -> &str {
    rest.strip_prefix(':').unwrap_or(rest)
}
