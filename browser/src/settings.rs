//! Settings of a pool and of its browsers, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

/// Settings of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Path of the program; `None` for the first on `PATH` of `chromium-headless-shell` (only for
    /// hidden browsers), `chromium`, `chromium-browser`, `google-chrome-stable` and
    /// `google-chrome`.
    pub program: Option<PathBuf>,
    /// Maximum concurrent browsers, each with one profile at a time; at least 1.
    pub browsers: usize,
    /// Number of profiles that a browser serves before it is replaced; at least 1.
    pub profiles_per_browser: u32,
    /// Wall time limit for each command to a page.
    pub command_timeout: Duration,
    /// Wall time limit for starting a browser.
    pub start_timeout: Duration,
    /// Memory limit for all processes of a browser together (proportional set size, measured twice
    /// a second; Linux only).
    pub memory_limit_mb: u64,
    /// Width and height of a page in pixels.
    pub viewport: (u32, u32),
    /// Whether Chromium's own sandbox isolates pages from the machine. If this program runs as
    /// root, Chromium runs as `nobody` if possible, which the sandbox requires.
    pub is_sandboxed: bool,
    /// Whether the browsers' windows are visible.
    pub is_visible: bool,
}

impl Default for Settings {
    /// Default settings: the first Chromium on `PATH`; 2 browsers; 50 profiles each; 15 s per
    /// command; 30 s to start; 1,024 MB; 1280 × 900 pixels; no sandbox; no windows.
    fn default() -> Self {
        Self {
            program: None,
            browsers: 2,
            profiles_per_browser: 50,
            command_timeout: Duration::from_secs(15),
            start_timeout: Duration::from_secs(30),
            memory_limit_mb: 1_024,
            viewport: (1_280, 900),
            is_sandboxed: false,
            is_visible: false,
        }
    }
}
