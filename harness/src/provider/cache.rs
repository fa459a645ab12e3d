//! Responses kept on disk: a request that was answered once is not sent again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use redb::{Database, ReadableDatabase as _, TableDefinition};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::record::bill;
use super::{CallSink, Estimate, Provider, ProviderError, Recording, Request, Response};
use crate::model::lenient_json;
use crate::model::{Message, Role, ToolUse};
use crate::prompt::AnswerSchema;

/// By the SHA-256 of a request, its response as JSON.
const RESPONSES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("responses/1");

/// A store of responses. One process at a time can have it open.
pub struct ResponseCache {
    path: PathBuf,
    database: Database,
}

/// A store that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the cache {}: {reason}", .path.display())]
pub struct CacheError {
    path: PathBuf,
    reason: String,
}

/// A response, and whether the limit of output tokens cut it off.
#[derive(Serialize, Deserialize)]
struct Stored {
    response: Response,
    truncated: bool,
}

/// Everything that can change a response.
#[derive(Serialize)]
struct Question<'a> {
    server: &'a str,
    model: &'a str,
    system: &'a str,
    messages: &'a [Arc<Message>],
    sampling: &'a super::Sampling,
    role: Role,
    attempt: u32,
    /// Absent where nothing of tools is sent, so that what was stored before there were tools is found.
    #[serde(skip_serializing_if = "ToolUse::is_off")]
    tools: &'a ToolUse,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    keep_reasoning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_schema: Option<&'a AnswerSchema>,
}

impl ResponseCache {
    /// Opens the store in a folder, or makes both.
    ///
    /// # Errors
    /// [`CacheError`] if it cannot be made, is in use, or is none.
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

    fn get(&self, key: &[u8]) -> Result<Option<Stored>, redb::Error> {
        let table = match self.database.begin_read()?.open_table(RESPONSES) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let found = table.get(key)?;
        // What a later version wrote otherwise is asked for again.
        Ok(found.and_then(|bytes| lenient_json::from_slice(bytes.value()).ok()))
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        write.open_table(RESPONSES)?.insert(key, value)?;
        Ok(write.commit()?)
    }

    /// Does something that waits for the disk.
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

/// A cache around a provider.
pub struct Cached<P> {
    inner: P,
    cache: Arc<ResponseCache>,
    /// Where the requests go: the same model elsewhere may answer otherwise.
    server: String,
}

impl<P> Cached<P> {
    /// Puts a cache around the provider of a server.
    pub const fn new(inner: P, cache: Arc<ResponseCache>, server: String) -> Self {
        Self {
            inner,
            cache,
            server,
        }
    }

    fn key(&self, request: &Request) -> Result<Vec<u8>, ProviderError> {
        let question = Question {
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
            message: format!("the request cannot be a key of the cache: {error}"),
        })?;
        Ok(Sha256::digest(bytes).to_vec())
    }
}

#[async_trait]
impl<P: Provider> Provider for Cached<P> {
    /// A response from the cache has the tokens that it once took and costs nothing.
    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let found = match self.key(request) {
            Ok(key) => self.cache.work(move |cache| cache.get(&key)).await,
            Err(error) => Err(error),
        };
        let Stored {
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

    /// Asks, and keeps the answer.
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
        let stored = Stored {
            response,
            truncated,
        };
        let value = serde_json::to_vec(&stored).map_err(|error| ProviderError::Store {
            message: format!("the response cannot be cached: {error}"),
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

    fn recording(&self) -> Option<Recording> {
        self.inner.recording()
    }

    fn estimate(&self, request: &Request) -> Option<Estimate> {
        self.inner.estimate(request)
    }
}
