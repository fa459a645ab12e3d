//! A tab: navigation, reading and actions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::Image;
use model::web::{DumpSettings, IdStyle};
use serde_json::{Value, json};
use url::Url;

use crate::devtools::{
    AddScript, CaptureScreenshot, CloseTarget, Command, Evaluate, GetLayoutMetrics, HandleDialog,
    Navigate, RemoveScript, SetDeviceMetrics, Viewport,
};
use crate::dump::Dump;
use crate::error::{Error, Result};
use crate::gate::Rules;
use crate::input;
use crate::tab::{Dialog, PageLocation, State, Tab, TabEnd};
use crate::wire::Wire;

/// Time to wait after an action, in case it begins a navigation.
pub(crate) const SETTLE: Duration = Duration::from_millis(50);
/// Maximum time that a page may take to let [`SETTLE`] pass or to be rendered, because its scripts
/// may be busy.
pub(crate) const MAX_SETTLE: Duration = Duration::from_secs(5);
/// Maximum wait for the start of a navigation that a page has requested.
const REQUEST: Duration = Duration::from_secs(1);

/// A tab. A selector is an id of the newest dump (`5`, `[5]`, `↓[5]`) or CSS, which selects its
/// first match.
///
/// Besides the errors in its own documentation, each method fails with [`Error::PageCrashed`],
/// [`Error::TabClosed`], [`Error::BrowserEnded`], [`Error::OutOfMemory`], [`Error::TimedOut`] and,
/// while a dialog is open, [`Error::DialogOpen`]. A method with a selector also fails with
/// [`Error::StaleId`], [`Error::UnknownId`], [`Error::NoMatch`], [`Error::MalformedSelector`] or
/// [`Error::Inapplicable`].
#[derive(Debug, Clone)]
pub struct Page {
    pub(crate) wire: Wire,
    pub(crate) tab: Arc<Tab>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) limit: Duration,
    pub(crate) has_timed_out: Arc<AtomicBool>,
}

impl Page {
    /// Returns the same tab with a different timeout for each command.
    #[must_use]
    pub fn with_command_timeout(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Returns the tab's id, which does not change while the tab is open.
    pub fn id(&self) -> &str {
        &self.tab.target
    }

    /// Opens an address and waits until it has loaded or opened a dialog. If the current page
    /// hangs, its script is stopped first.
    ///
    /// # Errors
    /// [`Error::Blocked`] for an address that is out of reach, and [`Error::Navigation`] for one
    /// that cannot be opened.
    pub async fn goto(&self, address: &str) -> Result<()> {
        let failed = |reason: String| Error::Navigation {
            url: address.to_owned(),
            reason,
        };
        let url = Url::parse(address).map_err(|error| failed(error.to_string()))?;
        let web = matches!(url.scheme(), "http" | "https");
        if url.as_str() != "about:blank" && !(web && self.rules.permits(&url)) {
            let allowed: Vec<String> = self
                .rules
                .reach()
                .origins()
                .map(ToString::to_string)
                .collect();
            return Err(Error::Blocked {
                url: address.to_owned(),
                allowed: allowed.join(", "),
            });
        }
        self.ready()?;
        self.in_time("opening a page", async {
            if self.tab.hangs.swap(false, Ordering::Relaxed) {
                self.stop_script().await;
            }
            let before = self.tab.state.borrow().loads;
            let opened = match self
                .run(Navigate {
                    url: url.to_string(),
                })
                .await
            {
                Err(Error::DialogOpen { .. }) => return Ok(()),
                opened => opened?,
            };
            if let Some(reason) = opened.error_text {
                return Err(failed(reason));
            }
            if opened.loader_id.is_some() {
                self.until(|state| state.loads > before || state.dialog.is_some())
                    .await?;
            }
            Ok(())
        })
        .await
    }

    /// Opens an address like [`Page::goto`], and runs a script in the document before the
    /// document's own scripts.
    ///
    /// # Errors
    /// As for [`Page::goto`].
    pub async fn goto_after(&self, script: &str, address: &str) -> Result<()> {
        let add = AddScript {
            source: script.to_owned(),
        };
        let added = self.in_time("adding a script", self.run(add)).await?;
        let opened = self.goto(address).await;
        let remove = RemoveScript {
            identifier: added.identifier,
        };
        self.in_time("removing a script", self.send(remove)).await?;
        opened
    }

    /// Waits until this crate, the page or the browser closes the tab.
    ///
    /// # Errors
    /// Returns an error if the page crashed or the browser ended.
    pub async fn closed(&self) -> Result<()> {
        let ended = tokio::select! {
            ended = self.until(|_| false) => ended,
            error = self.wire.until_ended() => Err(error),
        };
        match ended {
            Err(Error::TabClosed) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the address of the page.
    ///
    /// # Errors
    /// The errors common to all methods of [`Page`].
    pub async fn url(&self) -> Result<String> {
        self.string("reading the address", "location.href").await
    }

    /// Returns the current document and its address as reported by the browser's events, without
    /// querying the page.
    pub fn place(&self) -> PageLocation {
        self.tab.state.borrow().place.clone()
    }

    /// Returns the tabs that this tab's page opened and that are still open, oldest first.
    pub fn opened(&self) -> Vec<Self> {
        let tabs = self.wire.tabs(&self.tab.context).into_iter();
        tabs.filter(|tab| tab.opener.as_deref() == Some(self.id()))
            .map(|tab| Self {
                tab,
                ..self.clone()
            })
            .collect()
    }

    /// Whether the tab is open and its page has not crashed.
    pub fn is_open(&self) -> bool {
        self.gone().is_none() && self.wire.ended().is_none()
    }

    /// Returns the visible text of the page.
    ///
    /// # Errors
    /// The errors common to all methods of [`Page`].
    pub async fn text(&self) -> Result<String> {
        self.string("reading the text", "document.body?.innerText ?? ''")
            .await
    }

    /// Returns the page as text with ids, which later selectors may use.
    ///
    /// # Errors
    /// [`Error::Filter`].
    pub async fn dump(&self, settings: &DumpSettings) -> Result<Dump> {
        let value = match self.dump_with_frames(settings).await {
            Err(Error::Script(message)) if settings.filter.is_some() => {
                return Err(Error::Filter(message));
            }
            value => value?,
        };
        if let Some(message) = value["filterError"].as_str() {
            return Err(Error::Filter(message.to_owned()));
        }
        let dump: Dump = serde_json::from_value(value)
            .map_err(|_| self.unexpected("a dump in an unknown format"))?;
        let hashes = settings.ids == IdStyle::Hashes;
        self.tab.hashes.store(hashes, Ordering::Relaxed);
        self.tab
            .note_ids(dump.elements.iter().map(|indexed| indexed.id.as_str()));
        Ok(dump)
    }

    /// Clicks an element with real mouse events, scrolling it into view if necessary, and waits for
    /// a resulting navigation.
    ///
    /// # Errors
    /// The errors common to all methods with a selector; see [`Page`].
    pub async fn click(&self, selector: &str) -> Result<()> {
        let locate = |selector: &str| format!("locate({})", json!(selector));
        let (place, frame) = self.act("clicking", selector, locate).await?;
        let point = self.point(&place)?;
        let through = self.point_through("clicking", &frame, point).await?;
        if let Some(reason) = through.covered {
            let selector = selector.chars().take(200).collect();
            return Err(Error::Inapplicable { selector, reason });
        }
        let waits = self.wire.has_frames();
        let [moved, pressed, released] = input::click(through.x, through.y);
        let moved = self.move_pointer(&frame, &through.session, moved, waits);
        moved.await.map_err(|error| match error {
            error if error.is_document_gone() => self.gone_element(selector),
            error => error,
        })?;
        self.in_time("clicking", async {
            for event in [pressed, released] {
                self.run_into_dialog(&through.session, event).await?;
            }
            self.settle().await
        })
        .await
    }

    /// Replaces the text of a field, which may also be selected by its label.
    ///
    /// # Errors
    /// The errors common to all methods with a selector; see [`Page`].
    pub async fn fill(&self, selector: &str, text: &str) -> Result<()> {
        self.act_and_settle("filling", selector, |selector| {
            format!("fill({}, {})", json!(selector), json!(text))
        })
        .await
    }

    /// Selects the option of a list with this value or label.
    ///
    /// # Errors
    /// The errors common to all methods with a selector; see [`Page`].
    pub async fn select(&self, selector: &str, option: &str) -> Result<()> {
        self.act_and_settle("selecting", selector, |selector| {
            format!("select({}, {})", json!(selector), json!(option))
        })
        .await
    }

    /// Presses a key (`Enter`, `ArrowDown`, `a`, `Control+a`) on an element, or on the focused one.
    ///
    /// # Errors
    /// [`Error::UnknownKey`].
    pub async fn press(&self, selector: Option<&str>, key: &str) -> Result<()> {
        let events = input::press(key)?;
        self.ready()?;
        let mut session = self.tab.session.clone();
        if let Some(selector) = selector {
            let focus = |selector: &str| format!("focus({})", json!(selector));
            let (_, frame) = self.act("pressing a key", selector, focus).await?;
            self.settle_scroll("pressing a key", &frame).await;
            session = frame.session;
        }
        self.in_time("pressing a key", async {
            for event in events {
                self.run_into_dialog(&session, event).await?;
            }
            self.settle().await
        })
        .await
    }

    /// Scrolls the element to the middle of the viewport, and waits until the page is rendered.
    ///
    /// # Errors
    /// The errors common to all methods with a selector; see [`Page`].
    pub async fn scroll_to(&self, selector: &str) -> Result<()> {
        let scroll = |selector: &str| format!("scrollTo({})", json!(selector));
        let (place, frame) = self.act("scrolling", selector, scroll).await?;
        let point = self.point(&place)?;
        self.point_through("scrolling", &frame, point).await?;
        self.settle_scroll("scrolling", &frame).await;
        Ok(())
    }

    /// Highlights the selected element and no other; `None` removes the highlight.
    ///
    /// # Errors
    /// The errors common to all methods with a selector; see [`Page`].
    pub async fn border(&self, selector: Option<&str>) -> Result<()> {
        for frame in self.frames() {
            let clear = self.in_world_of(&frame, "highlighting", "pageActions.border(null)");
            // Ignore frames that were removed.
            drop(clear.await);
        }
        let border = |chosen: &str| format!("border({})", json!(selector.map(|_| chosen)));
        self.act("highlighting", selector.unwrap_or_default(), border)
            .await
            .map(drop)
    }

    /// Returns a PNG of the viewport, or of the whole page.
    ///
    /// # Errors
    /// The errors common to all methods of [`Page`].
    pub async fn screenshot(&self, whole_page: bool) -> Result<Image> {
        let mut capture = CaptureScreenshot {
            clip: None,
            capture_beyond_viewport: whole_page,
        };
        self.in_time("taking a screenshot", async {
            if whole_page {
                let size = self.run(GetLayoutMetrics {}).await?.css_content_size;
                capture.clip = Some(Viewport {
                    x: 0.0,
                    y: 0.0,
                    width: size.width,
                    height: size.height,
                    scale: 1.0,
                });
            }
            Ok(Image {
                media_type: "image/png".to_owned(),
                data: self.run(capture).await?.data,
            })
        })
        .await
    }

    /// Returns the dialog that blocks the page, if any.
    pub fn dialog(&self) -> Option<Dialog> {
        self.tab.state.borrow().dialog.clone()
    }

    /// Accepts the open dialog, with `text` as the input of a prompt, or dismisses it.
    ///
    /// # Errors
    /// [`Error::NoDialog`].
    pub async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<()> {
        let before = {
            let state = self.tab.state.borrow();
            state.dialog.as_ref().map(|_| state.answered)
        };
        let Some(before) = before else {
            return Err(self.gone().unwrap_or(Error::NoDialog));
        };
        let answer = HandleDialog {
            accept,
            prompt_text: text.map(str::to_owned),
        };
        self.in_time("answering a dialog", async {
            self.send(answer).await?;
            self.until(|state| state.answered > before).await?;
            self.wait_for_blocked_script().await;
            self.settle().await
        })
        .await
    }

    /// Waits until the script that a dialog had blocked ends or opens another dialog, but at most
    /// half the time limit. If the script still runs, the next action reports that the page hangs.
    async fn wait_for_blocked_script(&self) {
        let after_it = self.run(Evaluate {
            expression: "0".to_owned(),
            context_id: None,
            await_promise: false,
            return_by_value: false,
            user_gesture: false,
        });
        drop(tokio::time::timeout(self.limit / 2, after_it).await);
    }

    /// Closes the tab.
    ///
    /// # Errors
    /// The errors common to all methods of [`Page`].
    pub async fn close(&self) -> Result<()> {
        self.in_time("closing a tab", async {
            self.wire
                .command(
                    None,
                    CloseTarget {
                        target_id: self.tab.target.clone(),
                    },
                )
                .await?;
            match self.until(|_| false).await {
                Err(Error::TabClosed) | Ok(()) => Ok(()),
                Err(error) => Err(error),
            }
        })
        .await
    }

    pub(crate) async fn set_viewport(&self, (width, height): (u32, u32)) -> Result<()> {
        let metrics = SetDeviceMetrics {
            width,
            height,
            device_scale_factor: 1.0,
            mobile: false,
        };
        self.in_time("setting the viewport", self.run(metrics))
            .await
            .map(drop)
    }

    /// Sends a command that may open a dialog. An open dialog counts as success, because the
    /// browser responds to the command only after the dialog is closed.
    pub(crate) async fn run_into_dialog<C: Command>(
        &self,
        session: &str,
        command: C,
    ) -> Result<()> {
        match self.run_in(session, command).await {
            Ok(_) | Err(Error::DialogOpen { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sends a command. Fails if the page closes or a dialog blocks it, before or during the
    /// command.
    pub(crate) async fn run<C: Command>(&self, command: C) -> Result<C::Answer> {
        self.run_in(&self.tab.session, command).await
    }

    /// Sends a command like [`Page::run`], in the session of one of the page's frames.
    pub(crate) async fn run_in<C: Command>(&self, session: &str, command: C) -> Result<C::Answer> {
        tokio::select! {
            biased;
            stopped = self.until(|state| state.dialog.is_some()) => {
                stopped?;
                Err(self.ready().err().unwrap_or(Error::NoDialog))
            }
            answer = self.send_in(session, command) => answer,
        }
    }

    async fn send<C: Command>(&self, command: C) -> Result<C::Answer> {
        self.send_in(&self.tab.session, command).await
    }

    async fn send_in<C: Command>(&self, session: &str, command: C) -> Result<C::Answer> {
        let answer = self.wire.command(Some(session), command).await;
        // If the page is closed, report this instead of the session's error.
        answer.map_err(|error| self.gone().unwrap_or(error))
    }

    /// Fails if a dialog is already open: an action may open a dialog but cannot begin during one.
    pub(crate) fn ready(&self) -> Result<()> {
        match self.dialog() {
            Some(Dialog { kind, message }) => Err(Error::DialogOpen { kind, message }),
            None => Ok(()),
        }
    }

    fn gone(&self) -> Option<Error> {
        let gone = self.tab.state.borrow().gone?;
        Some(self.wire.ended().unwrap_or(match gone {
            TabEnd::Crashed => Error::PageCrashed,
            TabEnd::Closed => Error::TabClosed,
        }))
    }

    /// Waits until the tab is in a given state or has ended.
    async fn until(&self, is_so: impl Fn(&State) -> bool) -> Result<()> {
        let mut states = self.tab.state.subscribe();
        // The tab owns the sender, so waiting cannot fail.
        drop(
            states
                .wait_for(|state| state.gone.is_some() || is_so(state))
                .await,
        );
        self.gone().map_or(Ok(()), Err)
    }

    pub(crate) async fn settle(&self) -> Result<()> {
        // Also let the time pass in the page, because on a busy machine it may not have begun the
        // navigation yet. This fails if a dialog opens or the tab closes.
        let timer = format!(
            "new Promise((done) => setTimeout(done, {})).then(() => 0)",
            SETTLE.as_millis()
        );
        let in_page = tokio::time::timeout(MAX_SETTLE, self.in_world("waiting", &timer));
        let _ = tokio::join!(tokio::time::sleep(SETTLE), in_page);
        // A request does not always result in a navigation: it may have been a download, or
        // cancelled.
        let begun = self.until(|state| !state.requested || state.dialog.is_some());
        if tokio::time::timeout(REQUEST, begun).await.is_err() {
            self.tab.state.send_modify(|state| state.requested = false);
        }
        match self
            .until(|state| !state.loading || state.dialog.is_some())
            .await
        {
            // A click may legitimately close its tab.
            Err(Error::TabClosed) => Ok(()),
            settled => settled,
        }
    }

    pub(crate) async fn in_time<T>(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let result = within(self.limit, what, work).await;
        if matches!(result, Err(Error::TimedOut { .. })) {
            self.has_timed_out.store(true, Ordering::Relaxed);
            self.tab.hangs.store(true, Ordering::Relaxed);
        }
        result
    }

    fn point(&self, place: &Value) -> Result<(f64, f64)> {
        let point = place["x"].as_f64().zip(place["y"].as_f64());
        point.ok_or_else(|| self.unexpected("a point without coordinates"))
    }

    pub(crate) fn unexpected(&self, message: &str) -> Error {
        Error::Protocol {
            method: format!("a script in {}", self.tab.target),
            message: message.to_owned(),
        }
    }
}

/// Runs an operation with a time limit.
pub(crate) async fn within<T>(
    limit: Duration,
    what: &'static str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or(Err(Error::TimedOut { what, limit }))
}
