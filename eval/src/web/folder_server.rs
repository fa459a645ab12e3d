//! Serves a folder of files as a web site on its own loopback port.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use percent_encoding::percent_decode_str;

use super::loopback_server::LoopbackServer;

/// Starts serving a folder.
///
/// # Errors
/// [`std::io::Error`] if no port is available or the folder does not exist.
pub(super) async fn open(folder: &Path) -> std::io::Result<LoopbackServer> {
    let folder = Arc::new(folder.canonicalize()?);
    LoopbackServer::open(Router::new().fallback(answer).with_state(folder)).await
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
    // Prevent caching, so that navigating back requests the page again.
    let no_store = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match found {
        Ok(Some(Found::File(bytes, kind))) => {
            let kind = (header::CONTENT_TYPE, HeaderValue::from_static(kind));
            ([kind, no_store], bytes).into_response()
        }
        Ok(Some(Found::Folder)) => {
            let location = [(header::LOCATION, with_slash(&uri))];
            (StatusCode::MOVED_PERMANENTLY, [no_store], location).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "there is no such page").into_response(),
    }
}

/// Target of a path.
enum Found {
    /// Content and media type of a file.
    File(Vec<u8>, &'static str),
    /// A subfolder with a page, without the final `/` that the page's relative links require.
    Folder,
}

/// Returns the address of a folder with a final `/`.
fn with_slash(folder: &Uri) -> String {
    let path = folder.path().trim_start_matches('/');
    let query = folder.query().map(|query| format!("?{query}"));
    format!("/{path}/{}", query.unwrap_or_default())
}

/// Finds a file in the folder; for a subfolder, its `index.html`.
fn read(folder: &Path, requested: &str) -> Option<Found> {
    let path = Path::new(requested.trim_start_matches('/'));
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(stays) {
        return None;
    }
    let mut file = folder.join(path);
    let is_folder = file.is_dir();
    if is_folder {
        file.push("index.html");
    }
    // Links must not lead out of the folder.
    let file = file
        .canonicalize()
        .ok()
        .filter(|file| file.starts_with(folder))?;
    if is_folder && !requested.ends_with('/') {
        return Some(Found::Folder);
    }
    let kind = media_type(&file);
    Some(Found::File(std::fs::read(file).ok()?, kind))
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
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "mp4" => "video/mp4",
        "txt" | "md" | "csv" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, answer, media_type, read};
    use axum::extract::State;
    use axum::http::{Method, StatusCode, Uri, header};
    use std::path::Path;
    use std::sync::Arc;

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
        assert_eq!(media_type(Path::new("b.wasm")), "application/wasm");
    }

    #[tokio::test]
    async fn redirects_to_subfolder_with_final_slash() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().canonicalize().unwrap();
        for name in ["docs", "empty"] {
            std::fs::create_dir(own.join(name)).unwrap();
        }
        std::fs::write(own.join("docs/index.html"), "").unwrap();
        let is_moved = |path| read(&own, path).map(|found| matches!(found, Found::Folder));
        let paths = ["/docs", "/docs/", "/docs/index.html", "/empty"];
        assert_eq!(
            paths.map(is_moved),
            [Some(true), Some(false), Some(false), None]
        );
        let uri = Uri::from_static("//docs?a=b");
        let response = answer(State(Arc::new(own)), Method::GET, uri).await;
        assert_eq!(response.status(), StatusCode::MOVED_PERMANENTLY);
        assert_eq!(response.headers()[header::LOCATION], "/docs/?a=b");
    }
}
