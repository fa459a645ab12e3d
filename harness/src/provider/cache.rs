//! A cache of responses on disk. A request whose response is cached is not sent again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use redb::{Database, ReadableDatabase as _, TableDefinition};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::record::bill;
use super::{CallSink, Forecast, Provider, ProviderError, Request, Response};
use crate::model::lenient_json;
use crate::model::{Message, Role, ToolUse};
use crate::prompt::AnswerSchema;

/// Responses as JSON, keyed by the SHA-256 of their [`CacheKey`].
const RESPONSES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("responses/1");

/// Cache of responses in a folder. Only one process at a time can open it.
pub struct ResponseCache {
    path: PathBuf,
    database: Database,
}

/// Error when opening a response cache.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the cache {}: {reason}", .path.display())]
pub struct CacheError {
    path: PathBuf,
    reason: String,
}

/// A response, and whether it was cut off at the output token limit.
#[derive(Serialize, Deserialize)]
struct CachedResponse {
    response: Response,
    truncated: bool,
}

/// Everything that can change a response. The hash of this struct is the key.
#[derive(Serialize)]
struct CacheKey<'a> {
    server: &'a str,
    model: &'a str,
    system: &'a str,
    messages: &'a [Arc<Message>],
    sampling: &'a super::Sampling,
    role: Role,
    attempt: u32,
    /// Omitted if the request has no tools, so that entries from versions without tools still
    /// match.
    #[serde(skip_serializing_if = "ToolUse::is_off")]
    tools: &'a ToolUse,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    keep_reasoning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_schema: Option<&'a AnswerSchema>,
}

impl ResponseCache {
    /// Opens the cache in a folder. Creates the folder and the cache if necessary.
    ///
    /// # Errors
    /// Returns [`CacheError`] if the cache cannot be created, is in use, or is invalid.
    pub fn open(folder: &Path) -> Result<Arc<Self>, CacheError> {
        let path = folder.join("responses.redb");
        let cannot = |reason: String| CacheError {
            path: path.clone(),
            reason,
        };
        std::fs::create_dir_all(folder).map_err(|error| cannot(error.to_string()))?;
        let database = Database::create(&path).map_err(|error| cannot(error.to_string()))?;
        Ok(Arc::new(Self { path, database }))
    }

    fn get(&self, key: &[u8]) -> Result<Option<CachedResponse>, redb::Error> {
        let table = match self.database.begin_read()?.open_table(RESPONSES) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let found = table.get(key)?;
        // An entry in the format of a later version counts as missing.
        Ok(found.and_then(|bytes| lenient_json::from_slice(bytes.value()).ok()))
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        write.open_table(RESPONSES)?.insert(key, value)?;
        Ok(write.commit()?)
    }

    /// Runs a database operation on a blocking thread.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, redb::Error> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let shared = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&shared).map_err(|e| e.to_string()));
        let done = done.await.unwrap_or_else(|error| Err(error.to_string()));
        done.map_err(|reason| ProviderError::Store {
            message: format!("cannot use the cache {}: {reason}", self.path.display()),
        })
    }
}

/// A provider whose responses are cached.
pub struct Cached {
    inner: Arc<dyn Provider>,
    cache: Arc<ResponseCache>,
    /// Address of the server. It is part of the key, because another server may answer differently.
    server: String,
}

impl Cached {
    /// Adds a cache to the provider of a server.
    pub const fn new(inner: Arc<dyn Provider>, cache: Arc<ResponseCache>, server: String) -> Self {
        Self {
            inner,
            cache,
            server,
        }
    }

    fn key(&self, request: &Request) -> Result<Vec<u8>, ProviderError> {
        let question = CacheKey {
            server: &self.server,
            model: &request.model,
            system: &request.system,
            messages: &request.messages,
            sampling: &request.sampling,
            role: request.caller.role,
            attempt: request.caller.attempt,
            tools: &request.tools,
            keep_reasoning: request.keep_reasoning,
            answer_schema: request.answer_schema.as_ref(),
        };
        let bytes = serde_json::to_vec(&question).map_err(|error| ProviderError::Store {
            message: format!("cannot serialize the request as a cache key: {error}"),
        })?;
        Ok(Sha256::digest(bytes).to_vec())
    }
}

#[async_trait]
impl Provider for Cached {
    /// Returns the response from the cache, with its original token counts and a cost of 0.
    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let found = match self.key(request) {
            Ok(key) => self.cache.work(move |cache| cache.get(&key)).await,
            Err(error) => Err(error),
        };
        let CachedResponse {
            mut response,
            truncated,
        } = match found.transpose()? {
            Ok(stored) => stored,
            Err(error) => return Some(Err(error)),
        };
        response.cost_usd = Some(0.0);
        Some(if truncated {
            let response = Box::new(response);
            Err(ProviderError::Truncated { response })
        } else {
            Ok(response)
        })
    }

    /// Sends the request and stores the response.
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let key = self.key(request)?;
        let result = self.inner.complete(request, calls).await;
        let (response, truncated) = match &result {
            Ok(response) => (response.clone(), false),
            Err(ProviderError::Truncated { response }) => ((**response).clone(), true),
            Err(_) => return result,
        };
        let stored = CachedResponse {
            response,
            truncated,
        };
        let value = serde_json::to_vec(&stored).map_err(|error| ProviderError::Store {
            message: format!("cannot cache the response: {error}"),
        })?;
        let kept = self.cache.work(move |cache| cache.put(&key, &value)).await;
        match kept {
            Ok(()) => result,
            Err(error) => {
                bill(&result, calls);
                Err(error)
            }
        }
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        self.inner.forecast(request)
    }
}
