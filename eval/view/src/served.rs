//! The page as served: a single response with embedded styles and scripts, and the content security
//! policy that permits only these.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::assets::{SCRIPT, STYLE, page};

/// The HTML page. It loads no other files, so it requests its data as soon as it is parsed.
pub static SERVED: LazyLock<String> = LazyLock::new(|| {
    let head = format!("<style>{}</style>\n", *STYLE);
    let tail = format!("<script type=\"module\">{}</script>\n", *SCRIPT);
    page(&head, &tail)
});

/// The content security policy: only the page's own script and style, by hash; data from this
/// server; no frames; no forms.
pub static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash(&SCRIPT),
        hash(&STYLE)
    )
});

/// Returns the hash source of an inline script or style for the content security policy:
/// <https://www.w3.org/TR/CSP3/#grammardef-hash-source>.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
