//! The page as it is served: one answer with style and scripts inside it, and the policy that lets these alone in.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::assets::{SCRIPT, STYLE, page};

/// The page. What it shows is asked for as soon as it is read: nothing else has to be loaded first.
pub static SERVED: LazyLock<String> = LazyLock::new(|| {
    let head = format!("<style>{}</style>\n", *STYLE);
    let tail = format!("<script type=\"module\">{}</script>\n", *SCRIPT);
    page(&head, &tail)
});

/// The content security policy: the page's own script and style by their hashes, data of this server, no frames, no forms.
pub static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash(&SCRIPT),
        hash(&STYLE)
    )
});

/// A text as a policy names it: <https://www.w3.org/TR/CSP3/#grammardef-hash-source>.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
