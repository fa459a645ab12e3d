//! Serves a folder of files as a web site on its own loopback port.

use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use percent_encoding::percent_decode_str;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Server of a folder, which stops when dropped.
pub(super) struct FolderServer {
    pub(super) port: u16,
    _serving: JoinSet<()>,
}

impl FolderServer {
    /// Starts serving a folder.
    ///
    /// # Errors
    /// [`std::io::Error`] if no port is available or the folder does not exist.
    pub(super) async fn open(folder: &Path) -> std::io::Result<Self> {
        let folder = Arc::new(folder.canonicalize()?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let router = Router::new().fallback(answer).with_state(folder);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // Runs until its task is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            port,
            _serving: serving,
        })
    }
}

async fn answer(State(folder): State<Arc<PathBuf>>, method: Method, uri: Uri) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return (
            StatusCode::METHOD_NOT_ALLOWED,
            "this site is a folder of files",
        )
            .into_response();
    }
    let path = percent_decode_str(uri.path())
        .decode_utf8_lossy()
        .into_owned();
    let found = tokio::task::spawn_blocking(move || read(&folder, &path)).await;
    let Ok(Some((bytes, kind))) = found else {
        return (StatusCode::NOT_FOUND, "there is no such page").into_response();
    };
    let kind = HeaderValue::from_static(kind);
    // Prevent caching, so that navigating back requests the page again.
    let kept = HeaderValue::from_static("no-store");
    (
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, kept)],
        bytes,
    )
        .into_response()
}

/// Returns the content and media type of a file in the folder; for a subfolder, of its
/// `index.html`.
fn read(folder: &Path, path: &str) -> Option<(Vec<u8>, &'static str)> {
    let path = Path::new(path.trim_start_matches('/'));
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(stays) {
        return None;
    }
    let mut file = folder.join(path);
    if file.is_dir() {
        file.push("index.html");
    }
    // Links must not lead out of the folder.
    let file = file
        .canonicalize()
        .ok()
        .filter(|file| file.starts_with(folder))?;
    let kind = media_type(&file);
    Some((std::fs::read(file).ok()?, kind))
}

fn media_type(file: &Path) -> &'static str {
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        "woff2" => "font/woff2",
        "txt" | "md" | "csv" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{media_type, read};
    use std::path::Path;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/web")
            .canonicalize()
            .unwrap();
        assert!(read(&own, "/check.js").is_some());
        for path in [
            "/../lib.rs",
            "/nothing",
            "/",
            "//etc/passwd/..",
            "/apps/../../lib.rs",
        ] {
            assert!(read(&own, path).is_none(), "{path}");
        }
        assert_eq!(
            media_type(Path::new("a/B.HTML")),
            "text/html; charset=utf-8"
        );
    }
}
