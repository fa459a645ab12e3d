//! Downloads one file: resumes partial downloads, retries failed requests, and verifies the
//! checksum.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, RANGE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use sha2::{Digest as _, Sha256};

use super::{FetchError, FetchEvent};

/// Maximum consecutive failed requests without progress.
const MAX_FAILURES: u32 = 5;

/// Time without data after which a request counts as failed.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum retry delay that a server may request, in seconds.
const LONGEST_WAIT: u64 = 120;

/// Maximum size of a file list, in bytes.
const LONGEST_LIST: usize = 64 << 20;

/// A file to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Path relative to the folder, with `/` as separator.
    pub(super) path: String,
    pub(super) url: String,
    /// Expected SHA-256 in hex, if known in advance.
    pub(super) sha256: Option<String>,
    pub(super) bytes: Option<u64>,
}

/// HTTP client whose downloads share a pool of connections.
pub(super) struct Downloads {
    client: reqwest::Client,
}

/// Failure of a request that may be retried.
struct RetryableError {
    reason: String,
    /// Delay requested by the server, in seconds.
    wait: Option<u64>,
}

impl Downloads {
    pub(super) fn new() -> Result<Self, FetchError> {
        // An error only means that a crypto provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("eval/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(READ_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .build()
            .map_err(|error| FetchError(format!("cannot create an HTTP client: {error}")))?;
        Ok(Self { client })
    }

    /// Fetches a text of at most [`LONGEST_LIST`] bytes into memory.
    pub(super) async fn small(
        &mut self,
        url: &str,
        report: &mut (dyn FnMut(FetchEvent) + Send),
    ) -> Result<Vec<u8>, FetchError> {
        let mut failures = 0;
        loop {
            let failed = match self.request(url, 0).await? {
                Ok(response) => match text(response).await {
                    Ok(text) => return Ok(text),
                    Err(failed) => failed,
                },
                Err(failed) => failed,
            };
            failures += 1;
            pause(url, failures, failed, report).await?;
        }
    }

    /// Fetches a file and returns its SHA-256 in hex. Skips a file that already has the right
    /// checksum.
    pub(super) async fn file(
        &mut self,
        wanted: &Wanted,
        path: &Path,
        report: &mut (dyn FnMut(FetchEvent) + Send),
    ) -> Result<String, FetchError> {
        if let (Ok(found), Some(sha256)) = (sha256_of(path), &wanted.sha256)
            && found == *sha256
        {
            report(FetchEvent::Bytes(length(path)));
            return Ok(found);
        }
        let part = PathBuf::from(format!("{}.part", path.display()));
        let write = |reason: io::Error| FetchError::write(&part, &reason);
        if let Some(folder) = part.parent() {
            fs::create_dir_all(folder).map_err(write)?;
        }
        report(FetchEvent::Bytes(length(&part)));
        let mut failures = 0;
        loop {
            let before = length(&part);
            if wanted.bytes.is_some_and(|bytes| bytes == before) && before > 0 {
                break;
            }
            let failed = match self.request(&wanted.url, before).await? {
                Ok(response) => match save(response, &part, before, report).await.map_err(write)? {
                    None => break,
                    Some(failed) => failed,
                },
                Err(failed) => failed,
            };
            failures = if length(&part) > before {
                1
            } else {
                failures + 1
            };
            pause(&wanted.url, failures, failed, report).await?;
        }
        let found = sha256_of(&part).map_err(write)?;
        if let Some(sha256) = wanted.sha256.as_ref().filter(|sha256| **sha256 != found) {
            report(FetchEvent::Again(length(&part)));
            fs::remove_file(&part).map_err(write)?;
            return Err(FetchError(format!(
                "{} has the checksum {found} instead of {sha256}; the file was deleted",
                wanted.url
            )));
        }
        File::open(&part)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&part, path))
            .map_err(write)?;
        Ok(found)
    }

    /// Requests the file from byte `from`. Only the inner error may be retried.
    async fn request(
        &mut self,
        url: &str,
        from: u64,
    ) -> Result<Result<Response, RetryableError>, FetchError> {
        let mut request = self.client.get(url);
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Ok(Err(RetryableError::of(&error))),
        };
        let status = response.status();
        let may_pass = status.is_server_error()
            || status == StatusCode::TOO_MANY_REQUESTS
            || status == StatusCode::REQUEST_TIMEOUT;
        if status.is_success() || (status == StatusCode::RANGE_NOT_SATISFIABLE && from > 0) {
            return Ok(Ok(response));
        }
        if !may_pass {
            let status = status.as_u16();
            return Err(FetchError(format!("{url} responded with status {status}")));
        }
        let wait = response.headers().get(RETRY_AFTER);
        Ok(Err(RetryableError {
            reason: format!("status {}", status.as_u16()),
            wait: wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok()),
        }))
    }
}

impl RetryableError {
    fn of(error: &reqwest::Error) -> Self {
        // The innermost cause describes the failure; the outer ones name the request.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Self {
            reason: cause.to_string(),
            wait: None,
        }
    }
}

async fn text(mut response: Response) -> Result<Vec<u8>, RetryableError> {
    let mut text = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| RetryableError::of(&error))?
    {
        text.extend_from_slice(&chunk);
        if text.len() > LONGEST_LIST {
            return Err(RetryableError {
                reason: "the response exceeds 64 MB".to_owned(),
                wait: None,
            });
        }
    }
    Ok(text)
}

/// Appends a body to the file, or replaces the file if the body does not start at byte `from`.
async fn save(
    mut response: Response,
    part: &Path,
    from: u64,
    report: &mut (dyn FnMut(FetchEvent) + Send),
) -> io::Result<Option<RetryableError>> {
    let range = response.headers().get(CONTENT_RANGE);
    let goes_on = response.status() == StatusCode::PARTIAL_CONTENT
        && range.is_some_and(|range| {
            range
                .as_bytes()
                .starts_with(format!("bytes {from}-").as_bytes())
        });
    let mut options = OpenOptions::new();
    let mut file = if goes_on {
        options.append(true).create(true).open(part)?
    } else {
        report(FetchEvent::Again(from));
        options.write(true).create(true).truncate(true).open(part)?
    };
    if !response.status().is_success() {
        return Ok(Some(RetryableError {
            reason: "the file is shorter than the part downloaded earlier".to_owned(),
            wait: None,
        }));
    }
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                file.write_all(&chunk)?;
                report(FetchEvent::Bytes(chunk.len() as u64));
            }
            Ok(None) => return Ok(None),
            Err(error) => return Ok(Some(RetryableError::of(&error))),
        }
    }
}

/// Waits before a retry: for the delay that the server requests, at most [`LONGEST_WAIT`],
/// otherwise for 1, 2, 4 or 8 seconds. After [`MAX_FAILURES`] failures, returns an error instead.
async fn pause(
    url: &str,
    failures: u32,
    failed: RetryableError,
    report: &mut (dyn FnMut(FetchEvent) + Send),
) -> Result<(), FetchError> {
    if failures >= MAX_FAILURES {
        return Err(FetchError(format!("cannot fetch {url}: {}", failed.reason)));
    }
    let wait = failed.wait.unwrap_or(1 << (failures - 1)).min(LONGEST_WAIT);
    report(FetchEvent::Retry {
        wait,
        reason: &failed.reason,
    });
    tokio::time::sleep(Duration::from_secs(wait)).await;
    Ok(())
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Returns the SHA-256 of a file in hex.
pub(super) fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    Ok(hex::encode(hash.finalize()))
}
