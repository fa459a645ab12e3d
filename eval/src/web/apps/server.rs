//! Serves the documents of one attempt's apps, and the two endpoints that they may call, on
//! loopback.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::{get, post};
use browser::Origin;
use harness::model::web::AppCall;
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::web::loopback_server::LoopbackServer;

/// Script placed before all others in an app.
const SHIM: &str = include_str!("shim.js");

/// Server of an attempt's apps, which stops when dropped.
pub(super) struct AppServer {
    shared: Arc<Shared>,
    server: LoopbackServer,
}

struct Shared {
    /// Documents of the apps, in launch order.
    apps: Mutex<Vec<String>>,
    calls: UnboundedSender<AppCall>,
}

impl AppServer {
    /// Starts the server, which sends the apps' requests to `calls`.
    pub async fn open(calls: UnboundedSender<AppCall>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            apps: Mutex::default(),
            calls,
        });
        let router = Router::new()
            .route("/app/{number}", get(document))
            .route("/wry/{name}", post(ask))
            .with_state(Arc::clone(&shared));
        let server = LoopbackServer::open(router).await?;
        Ok(Self { shared, server })
    }

    pub fn origin(&self) -> Origin {
        self.server.origin.clone()
    }

    /// Adds the document of an app and returns its URL.
    pub fn add(&self, html: &str) -> String {
        let mut apps = self.shared.apps.lock();
        apps.push(with_shim(html));
        format!("{}/app/{}", self.origin(), apps.len())
    }
}

/// Inserts the shim as the first script, after the doctype, so that the document stays in standards
/// mode. Parsers move it to the start of the head.
fn with_shim(html: &str) -> String {
    let script = format!("<script>{SHIM}</script>");
    let html = html.trim_start();
    let is_doctype = html
        .get(..9)
        .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    match html.find('>') {
        Some(end) if is_doctype => {
            let (doctype, rest) = html.split_at(end + 1);
            format!("{doctype}{script}{rest}")
        }
        _ => format!("{script}{html}"),
    }
}

async fn document(
    State(shared): State<Arc<Shared>>,
    Path(number): Path<usize>,
) -> Result<Html<String>, StatusCode> {
    let apps = shared.apps.lock();
    let html = number.checked_sub(1).and_then(|index| apps.get(index));
    html.cloned().map(Html).ok_or(StatusCode::NOT_FOUND)
}

async fn ask(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    body: String,
) -> Result<String, StatusCode> {
    let (reply, replied) = oneshot::channel();
    let call = match name.as_str() {
        "inference" => AppCall::Inference {
            prompt: body,
            reply,
        },
        "document" => AppCall::Document { uri: body, reply },
        _ => return Err(StatusCode::NOT_FOUND),
    };
    shared
        .calls
        .send(call)
        .map_err(|_| StatusCode::BAD_GATEWAY)?;
    replied.await.map_err(|_| StatusCode::BAD_GATEWAY)
}

#[cfg(test)]
mod tests {
    use super::{SHIM, with_shim};

    #[test]
    fn inserts_the_shim_first_but_after_the_doctype() {
        let rows = [
            (
                "<!DOCTYPE html><html lang=en>x",
                "<!DOCTYPE html>|<html lang=en>x",
            ),
            ("\n <!doctype HTML >\n<p>x", "<!doctype HTML >|\n<p>x"),
            ("<p>x", "|<p>x"),
            ("", "|"),
            ("<!doctype", "|<!doctype"),
        ];
        for (html, expected) in rows {
            let script = format!("<script>{SHIM}</script>");
            assert_eq!(with_shim(html), expected.replace('|', &script), "{html}");
        }
        assert!(!SHIM.contains("</script"));
    }
}
