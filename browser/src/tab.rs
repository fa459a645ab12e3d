//! The state of a tab, updated from the browser's events. Commands on the tab watch this state.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::watch;

/// A tab to which this crate is attached.
#[derive(Debug)]
pub(crate) struct Tab {
    /// Session for the tab's commands.
    pub(crate) session: String,
    /// Target id, which is also the id of the tab's main frame.
    pub(crate) target: String,
    /// Profile that the tab belongs to.
    pub(crate) context: String,
    /// Target of the tab whose page opened this one.
    pub(crate) opener: Option<String>,
    pub(crate) state: watch::Sender<State>,
    /// All ids that dumps of this tab have shown.
    pub(crate) shown_ids: Mutex<HashSet<String>>,
    /// Frames of other origins in the newest dump.
    pub(crate) frames: Mutex<Frames>,
    /// Whether the newest dump uses hashes as ids.
    pub(crate) hashes: AtomicBool,
    /// Whether a command on the current document timed out.
    pub(crate) hangs: AtomicBool,
}

/// A document of a tab: the main document, or the document of a frame of another origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Session for the document's commands: the tab's session, or that of the frame's own process.
    pub(crate) session: String,
    /// Id assigned by the browser.
    pub(crate) id: String,
    /// Index among the frames of other origins in each enclosing document, outermost first.
    pub(crate) path: Vec<usize>,
}

/// Frames of other origins in the newest dump of a tab, by [`Frame::path`].
#[derive(Debug, Default)]
pub(crate) struct Frames(pub(crate) HashMap<Vec<usize>, Frame>);

/// Current state of a tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) dialog: Option<Dialog>,
    /// Number of dialogs closed. The number shows that a dialog was closed even if another one
    /// opened before a reader of the state could see that none was open.
    pub(crate) answered: u64,
    pub(crate) gone: Option<TabEnd>,
    /// Whether the page has requested another document that has not loaded yet.
    pub(crate) requested: bool,
    pub(crate) loading: bool,
    pub(crate) loads: u64,
    pub(crate) place: PageLocation,
}

/// Document and address that a tab shows. A change of either looks like a new page to an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLocation {
    /// Number of documents that the tab has shown so far.
    pub documents: u64,
    /// Address. Includes the fragment only if it is a route (`#/orders`, `#!orders`) instead of a
    /// position on the page.
    pub url: String,
}

impl PageLocation {
    fn move_to(&mut self, url: &str) {
        let (whole, fragment) = url.split_once('#').unwrap_or((url, ""));
        let is_route = fragment.starts_with(['/', '!']);
        let address = if is_route { url } else { whole };
        address.clone_into(&mut self.url);
    }
}

/// Reason why a tab ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TabEnd {
    Crashed,
    Closed,
}

/// A dialog opened by the page, which is blocked until the dialog is answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Dialog {
    /// Kind of the dialog: `alert`, `confirm`, `prompt` or, before leaving a page, `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text of the dialog.
    pub message: String,
}

impl Tab {
    /// Updates the state from an event of this tab's session.
    pub(crate) fn on_event(&self, method: &str, params: serde_json::Value) {
        let main_frame = || params["frameId"] == self.target.as_str();
        match method {
            "Page.javascriptDialogOpening" => {
                let dialog = serde_json::from_value(params).ok();
                self.state.send_modify(|state| state.dialog = dialog);
            }
            "Page.javascriptDialogClosed" => self.state.send_modify(|state| {
                state.dialog = None;
                state.answered += 1;
            }),
            "Page.frameRequestedNavigation" if main_frame() => {
                self.state.send_modify(|state| state.requested = true);
            }
            "Page.frameStartedLoading" if main_frame() => {
                self.state.send_modify(|state| {
                    state.requested = false;
                    state.loading = true;
                });
            }
            "Page.frameStoppedLoading" if main_frame() => {
                self.state.send_modify(|state| state.loading = false);
            }
            "Page.frameNavigated" if params["frame"]["id"] == self.target.as_str() => {
                let frame = &params["frame"];
                let [url, fragment] =
                    ["url", "urlFragment"].map(|key| frame[key].as_str().unwrap_or_default());
                self.state.send_modify(|state| {
                    state.place.documents += 1;
                    state.place.move_to(&format!("{url}{fragment}"));
                });
            }
            "Page.navigatedWithinDocument" if main_frame() => {
                let url = params["url"].as_str().unwrap_or_default();
                self.state.send_modify(|state| {
                    state.requested = false;
                    state.place.move_to(url);
                });
            }
            "Page.loadEventFired" => self.state.send_modify(|state| state.loads += 1),
            "Inspector.targetCrashed" => self.end(TabEnd::Crashed),
            _ => {}
        }
    }

    pub(crate) fn note_ids<'a>(&self, ids: impl Iterator<Item = &'a str>) {
        self.shown_ids.lock().extend(ids.map(str::to_owned));
    }

    /// Returns the id in a selector if it looks like a hash and the newest dump uses hashes. Before
    /// the first dump, a selector is always CSS.
    pub(crate) fn hash_in<'a>(&self, selector: &'a str) -> Option<&'a str> {
        let bare = selector.trim().trim_start_matches(['↑', '↓']).trim_start();
        let id = bare.strip_prefix('[').and_then(|id| id.strip_suffix(']'));
        let id = id.unwrap_or(bare);
        let is_hash =
            matches!(id.len(), 4 | 6) && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        (is_hash && self.hashes.load(Ordering::Relaxed)).then_some(id)
    }

    pub(crate) fn knows_id(&self, id: &str) -> bool {
        self.shown_ids.lock().contains(id)
    }

    /// Marks the tab as ended, unless it already has ended for another reason.
    pub(crate) fn end(&self, how: TabEnd) {
        self.state.send_modify(|state| {
            state.gone.get_or_insert(how);
        });
    }
}
