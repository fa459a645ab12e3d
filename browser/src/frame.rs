//! Frames of other origins: documents that scripts of the enclosing page cannot access. This
//! crate's scripts run in each frame separately, and the page's dump shows the frame's lines in its
//! place.

use std::time::{Duration, Instant};

use model::web::DumpSettings;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::devtools::{DescribeNode, DispatchMouseEvent, Evaluate, ReleaseObject};
use crate::dump::to_javascript;
use crate::error::{Error, Result};
use crate::page::{MAX_SETTLE, Page};
use crate::tab::{Frame, Frames};

/// Maximum frames of other origins that one dump includes, counted over all depths.
const MOST_FRAMES: usize = 50;
/// Time limit for the dump of one frame of another origin, including the frames inside it. A frame
/// that exceeds it is shown by its address.
const FRAME_LIMIT: Duration = Duration::from_secs(5);
/// Time limit for the dumps of all such frames of a page together. The remaining frames are shown
/// by their addresses.
const FRAMES_LIMIT: Duration = Duration::from_secs(10);
/// Maximum moves of the pointer before a click.
const MAX_MOVES: u32 = 50;
/// URL scheme of the browser's error pages, which replace pages that could not be loaded.
const ERROR_PAGE: &str = "chrome-error:";

/// A point in a viewport, in pixels.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Point {
    x: f64,
    y: f64,
}

/// Remaining limits of a dump.
struct Limits {
    frames: usize,
    until: Instant,
}

/// Position of a frame's document: its top left corner in the tab's viewport, and the height of
/// that viewport.
#[derive(Debug, Clone, Copy)]
struct DocumentPosition {
    corner: Point,
    height: u64,
}

/// Session and coordinates for input at a point of a frame. Input goes directly to the frame's
/// process, in that process's coordinates, so that the browser does not have to find the process.
#[derive(Debug)]
pub(crate) struct FrameInput {
    pub(crate) session: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Element that covers the frame at that point, if any.
    pub(crate) covered: Option<String>,
}

impl Page {
    /// Returns the tab's main document.
    pub(crate) fn main_frame(&self) -> Frame {
        Frame {
            session: self.tab.session.clone(),
            id: self.tab.target.clone(),
            path: Vec::new(),
        }
    }

    /// Returns the result of `js/dump.js` for the page, including the lines of frames of other
    /// origins.
    pub(crate) async fn dump_with_frames(&self, settings: &DumpSettings) -> Result<Value> {
        let mut frames = Frames::default();
        let mut left = Limits {
            frames: MOST_FRAMES,
            until: Instant::now() + FRAMES_LIMIT,
        };
        let main = self.main_frame();
        let dump = self
            .dump_frame(settings, &main, None, &mut frames, &mut left)
            .await?;
        *self.tab.frames.lock() = frames;
        Ok(dump)
    }

    async fn dump_frame(
        &self,
        settings: &DumpSettings,
        frame: &Frame,
        place: Option<DocumentPosition>,
        frames: &mut Frames,
        left: &mut Limits,
    ) -> Result<Value> {
        let at = place.map(
            |DocumentPosition { corner, height }| json!({"x": corner.x, "y": corner.y, "height": height}),
        );
        let dump = async |inner: Value| {
            let script = format!(
                "pageDump.dump({})",
                to_javascript(settings, at.as_ref(), &inner)
            );
            self.in_world_of(frame, "making a dump", &script).await
        };
        let first = dump(Value::Null).await?;
        let corners = Vec::<Point>::deserialize(&first["hosts"]).unwrap_or_default();
        let mut inner = Vec::new();
        for (host, corner) in corners.into_iter().enumerate() {
            let time = left.until.saturating_duration_since(Instant::now());
            if left.frames == 0 || time.is_zero() {
                break;
            }
            left.frames -= 1;
            let around = place.map_or(Point { x: 0.0, y: 0.0 }, |place| place.corner);
            let height = place.map_or(first["viewport"][1].as_u64(), |place| Some(place.height));
            let place = DocumentPosition {
                corner: Point {
                    x: around.x + corner.x,
                    y: around.y + corner.y,
                },
                height: height.unwrap_or_default(),
            };
            let lines = self.lines_of(settings, frame, host, place, frames, left);
            let lines = tokio::time::timeout(time.min(FRAME_LIMIT), Box::pin(lines)).await;
            // A frame that was removed or does not respond is shown by its address.
            inner.push(lines.ok().and_then(Result::ok).unwrap_or_default());
        }
        if inner.iter().all(Value::is_null) {
            return Ok(first);
        }
        dump(Value::Array(inner)).await
    }

    /// Returns the dumped lines of the frame at index `host` in a document, or null if the frame
    /// was removed or could not be loaded.
    async fn lines_of(
        &self,
        settings: &DumpSettings,
        around: &Frame,
        host: usize,
        place: DocumentPosition,
        frames: &mut Frames,
        left: &mut Limits,
    ) -> Result<Value> {
        let Some(id) = self.frame_id(around, host).await? else {
            return Ok(Value::Null);
        };
        let frame = Frame {
            session: self
                .wire
                .frame_session(&id)
                .unwrap_or_else(|| around.session.clone()),
            id,
            path: [&around.path[..], &[host]].concat(),
        };
        let mut dump = self
            .dump_frame(settings, &frame, Some(place), frames, left)
            .await?;
        if dump["url"]
            .as_str()
            .is_none_or(|url| url.starts_with(ERROR_PAGE))
        {
            return Ok(Value::Null);
        }
        frames.0.insert(frame.path.clone(), frame);
        Ok(dump["lines"].take())
    }

    /// Returns the browser's id for the frame at index `host` in a document.
    async fn frame_id(&self, around: &Frame, host: usize) -> Result<Option<String>> {
        let world = self.world_of(around).await?;
        let evaluate = Evaluate {
            expression: format!("pageDump.hostAt({host})"),
            context_id: Some(world),
            await_promise: false,
            return_by_value: false,
            user_gesture: false,
        };
        let found = self.run_in(&around.session, evaluate).await?;
        let Some(object_id) = found.result.object_id else {
            return Ok(None);
        };
        let describe = DescribeNode {
            object_id: object_id.clone(),
        };
        let described = self.run_in(&around.session, describe).await;
        self.run_in(&around.session, ReleaseObject { object_id })
            .await?;
        Ok(described?.node.frame_id)
    }

    /// Returns the frame at index `host` in a document, as of the newest dump.
    pub(crate) fn frame_in(&self, around: &Frame, host: usize) -> Option<Frame> {
        let path = [&around.path[..], &[host]].concat();
        self.tab.frames.lock().0.get(&path).cloned()
    }

    /// Returns all frames included in the newest dump.
    pub(crate) fn frames(&self) -> Vec<Frame> {
        self.tab.frames.lock().0.values().cloned().collect()
    }

    /// Scrolls a point of a frame into view in every enclosing document, and returns where to send
    /// input for it.
    pub(crate) async fn point_through(
        &self,
        what: &'static str,
        frame: &Frame,
        (mut x, mut y): (f64, f64),
    ) -> Result<FrameInput> {
        let mut covered = None;
        let mut at = None;
        for depth in (0..frame.path.len()).rev() {
            let around = if depth == 0 {
                self.main_frame()
            } else {
                let frames = self.tab.frames.lock();
                let around = frames.0.get(&frame.path[..depth]);
                around.cloned().ok_or(Error::PageLeft)?
            };
            if around.session != frame.session {
                at = at.or(Some((x, y)));
            }
            let call = format!("pageActions.through({}, {x}, {y})", frame.path[depth]);
            let place = self.in_world_of(&around, what, &call).await?;
            let point = Point::deserialize(&place).map_err(|_| Error::PageLeft)?;
            (x, y) = (point.x, point.y);
            covered = covered.or_else(|| place["covered"].as_str().map(str::to_owned));
        }
        let (x, y) = at.unwrap_or((x, y));
        Ok(FrameInput {
            session: frame.session.clone(),
            x,
            y,
            covered,
        })
    }

    /// Moves the pointer to the element that was located last, before a click.
    ///
    /// With frames (`waits`), the browser uses the rendered page to choose the document that
    /// receives the event, and it may render a scrolled page late. So the move is repeated until
    /// the element receives it, but only [`MAX_MOVES`] times, because a page may hide the event.
    ///
    /// # Errors
    /// Besides the errors of [`Page`], [`Error::PageLeft`] if the element's document was replaced.
    pub(crate) async fn move_pointer(
        &self,
        frame: &Frame,
        session: &str,
        to: DispatchMouseEvent,
        waits: bool,
    ) -> Result<()> {
        const WHAT: &str = "clicking";
        if !waits {
            return self.in_time(WHAT, self.run_into_dialog(session, to)).await;
        }
        self.in_world_of(frame, WHAT, "pageActions.awaitPointer()")
            .await?;
        for number in 0..MAX_MOVES {
            self.wait_until_rendered(WHAT, &self.main_frame()).await?;
            // The browser ignores a move to the place where the pointer is.
            let aside = DispatchMouseEvent {
                x: to.x + f64::from(number % 2),
                ..to.clone()
            };
            self.in_time(WHAT, self.run_into_dialog(session, aside))
                .await?;
            if self.ready().is_err() {
                return Ok(());
            }
            let arrived = self
                .in_world_of(frame, WHAT, "pageActions.hasPointer()")
                .await?;
            if arrived.is_null() {
                return Err(Error::PageLeft);
            }
            if arrived == true {
                break;
            }
        }
        self.in_world_of(frame, WHAT, "pageActions.stopAwaiting()")
            .await?;
        Ok(())
    }

    /// Waits until a page in which an action may have scrolled is rendered, because observers of
    /// visibility run only then, but at most [`MAX_SETTLE`]. Failures are ignored: the action has
    /// succeeded, and may have left the page or opened a dialog.
    pub(crate) async fn settle_scroll(&self, what: &'static str, frame: &Frame) {
        let rendered = async {
            let main = self.main_frame();
            self.wait_until_rendered(what, &main).await?;
            if *frame == main {
                return Ok(());
            }
            self.wait_until_rendered(what, frame).await
        };
        drop(tokio::time::timeout(MAX_SETTLE, rendered).await);
    }

    /// Waits until the scrolled document is rendered. Hidden documents are not rendered.
    async fn wait_until_rendered(&self, what: &'static str, frame: &Frame) -> Result<()> {
        let twice = "new Promise((done) => document.hidden ? done() : \
                     requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)";
        self.in_world_of(frame, what, twice).await.map(drop)
    }
}
