//! Runs JavaScript in a page: callers' scripts in the page's own world or in a separate one, and
//! this crate's library in the separate one.

use std::time::Duration;

use serde_json::Value;

use crate::devtools::{CreateIsolatedWorld, Evaluate, TerminateExecution};
use crate::error::{DOCUMENT_REPLACED, Error, Result};
use crate::page::{Page, SETTLE, within};
use crate::tab::Frame;

const DUMP: &str = include_str!("../js/dump.js");
const ACTIONS: &str = include_str!("../js/actions.js");
/// Name of the JavaScript world in which this crate's scripts run. The page can neither see nor
/// change it.
const WORLD: &str = "environment";
/// Time limit for stopping a script.
const STOP: Duration = Duration::from_secs(2);
/// Maximum attempts to run a script while the page keeps replacing its document.
const TRIES: u32 = 5;

impl Page {
    /// Evaluates JavaScript in the page's own world. Promises are awaited, and the value is
    /// returned as JSON.
    ///
    /// # Errors
    /// [`Error::Script`] if it throws or its value is not JSON, and [`Error::PageLeft`].
    pub async fn evaluate(&self, script: &str) -> Result<Value> {
        self.in_time("evaluating a script", self.evaluate_in(None, script))
            .await
    }

    /// Evaluates JavaScript as an action on the page, and waits for any navigation that it causes.
    /// Returns `None` if the script left the page or opened a dialog before it returned a value.
    ///
    /// # Errors
    /// [`Error::Script`] if it throws or its value is not JSON.
    pub async fn run_script(&self, script: &str) -> Result<Option<Value>> {
        self.ready()?;
        self.in_time("running a script", async {
            let value = match self.evaluate_in(None, script).await {
                Ok(value) => Some(value),
                Err(Error::DialogOpen { .. } | Error::PageLeft | Error::TabClosed) => None,
                Err(error) => return Err(error),
            };
            self.settle().await?;
            Ok(value)
        })
        .await
    }

    /// Evaluates JavaScript in a separate world: it has access to the same document, but the page's
    /// scripts cannot access the values that it defines.
    ///
    /// # Errors
    /// As for [`Page::evaluate`].
    pub async fn evaluate_apart(&self, script: &str) -> Result<Value> {
        self.in_world("evaluating a script", script).await
    }

    /// Stops a script that does not end, so that the page can navigate. Then runs an empty script:
    /// if no script was running, the browser stops the next one instead.
    pub(crate) async fn stop_script(&self) {
        let stop = async {
            self.run(TerminateExecution {}).await?;
            self.evaluate_in(None, "0").await
        };
        // If this fails, opening the page fails with a clearer error.
        drop(within(STOP, "stopping a script", stop).await);
    }

    pub(crate) async fn string(&self, what: &'static str, script: &str) -> Result<String> {
        match self.in_world(what, script).await? {
            Value::String(text) => Ok(text),
            _ => Err(self.unexpected("a value that is not a string")),
        }
    }

    /// Calls a function of `js/actions.js` in the document that contains the element. Returns the
    /// result and the document; a problem in the result becomes an error. `call` formats the call
    /// for a selector.
    pub(crate) async fn act(
        &self,
        what: &'static str,
        given: &str,
        call: impl Fn(&str) -> String,
    ) -> Result<(Value, Frame)> {
        let mut frame = self.main_frame();
        let mut selector = given.to_owned();
        let value = loop {
            let script = format!("pageActions.{}", call(&selector));
            let value = self.in_world_of(&frame, what, &script).await?;
            let Some(host) = value["host"].as_u64() else {
                break value;
            };
            let inner = usize::try_from(host).ok();
            let inner = inner.and_then(|host| self.frame_in(&frame, host));
            frame = inner.ok_or_else(|| Error::StaleId {
                id: bare(given).to_owned(),
            })?;
            value["id"]
                .as_str()
                .unwrap_or_default()
                .clone_into(&mut selector);
        };
        self.check_problem(given, &frame, &value)?;
        Ok((value, frame))
    }

    fn check_problem(&self, given: &str, frame: &Frame, value: &Value) -> Result<()> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let selector = || given.chars().take(200).collect();
        // In a frame of another origin, the reported id is relative to the frame, so use the given
        // id.
        let mut id = if *frame == self.main_frame() {
            text("id")
        } else {
            bare(given).to_owned()
        };
        let mut problem = value["problem"].as_str();
        if matches!(problem, Some("unmatched" | "malformed"))
            && let Some(hash) = self.tab.hash_in(given)
        {
            hash.clone_into(&mut id);
            problem = Some("unknown");
        }
        Err(match problem {
            None => return Ok(()),
            Some("stale") => Error::StaleId { id },
            Some("unknown") if self.tab.knows_id(&id) => Error::StaleId { id },
            Some("unknown") => Error::UnknownId { id },
            Some("unmatched") => Error::NoMatch {
                selector: selector(),
            },
            Some("malformed") => Error::MalformedSelector {
                selector: selector(),
                reason: text("reason"),
            },
            Some(_) => Error::Inapplicable {
                selector: selector(),
                reason: text("reason"),
            },
        })
    }

    /// Returns the error for an element whose document was replaced after the element was found.
    pub(crate) fn gone_element(&self, given: &str) -> Error {
        let id = self.tab.hash_in(given).unwrap_or_else(|| bare(given));
        if self.tab.knows_id(id) {
            Error::StaleId { id: id.to_owned() }
        } else {
            let selector = given.chars().take(200).collect();
            Error::NoMatch { selector }
        }
    }

    pub(crate) async fn act_and_settle(
        &self,
        what: &'static str,
        selector: &str,
        call: impl Fn(&str) -> String,
    ) -> Result<()> {
        self.ready()?;
        match self.act(what, selector, call).await {
            Ok(_) | Err(Error::DialogOpen { .. }) if self.dialog().is_some() => Ok(()),
            Ok((_, frame)) => {
                // The focus scrolls to the element.
                self.settle_scroll(what, &frame).await;
                self.in_time(what, self.settle()).await
            }
            Err(error) => Err(error),
        }
    }

    /// Runs a script with this crate's library in a world separate from the page's. Retries if the
    /// page replaces its document before the script begins.
    pub(crate) async fn in_world(&self, what: &'static str, script: &str) -> Result<Value> {
        self.in_world_of(&self.main_frame(), what, script).await
    }

    /// Runs a script like [`Page::in_world`], in any of the page's documents.
    pub(crate) async fn in_world_of(
        &self,
        frame: &Frame,
        what: &'static str,
        script: &str,
    ) -> Result<Value> {
        let script = format!(
            "(() => {{ globalThis.pageDump ??= {DUMP};\nglobalThis.pageActions ??= {ACTIONS}(globalThis.pageDump);\nreturn {script}; }})()"
        );
        self.in_time(what, async {
            let mut tried = 0;
            loop {
                tried += 1;
                let result = match self.world_of(frame).await {
                    Ok(world) => self.evaluate_at(&frame.session, Some(world), &script).await,
                    Err(error) => Err(error),
                };
                match result {
                    // The page navigated before the script began, so the script can run in the next
                    // document.
                    Err(Error::Protocol { message, .. })
                        if tried < TRIES && message.contains("Cannot find context") =>
                    {
                        tokio::time::sleep(SETTLE).await;
                    }
                    result => return result,
                }
            }
        })
        .await
    }

    /// Returns the id of the execution context in which this crate's scripts run in a document.
    pub(crate) async fn world_of(&self, frame: &Frame) -> Result<i64> {
        let world = CreateIsolatedWorld {
            frame_id: frame.id.clone(),
            world_name: WORLD,
        };
        let world = self.run_in(&frame.session, world).await?;
        Ok(world.execution_context_id)
    }

    async fn evaluate_in(&self, world: Option<i64>, script: &str) -> Result<Value> {
        self.evaluate_at(&self.tab.session, world, script).await
    }

    async fn evaluate_at(&self, session: &str, world: Option<i64>, script: &str) -> Result<Value> {
        let evaluate = Evaluate {
            expression: script.to_owned(),
            context_id: world,
            await_promise: true,
            return_by_value: true,
            user_gesture: true,
        };
        let result = match self.run_in(session, evaluate).await {
            Err(Error::Protocol { message, .. })
                if message.contains("reference chain") || message.contains("serializ") =>
            {
                return Err(Error::Script(format!("its value is not JSON: {message}")));
            }
            Err(Error::Protocol { message, .. })
                if DOCUMENT_REPLACED
                    .iter()
                    .any(|words| message.contains(words)) =>
            {
                return Err(Error::PageLeft);
            }
            result => result?,
        };
        if let Some(thrown) = result.exception_details {
            let said = thrown.exception.and_then(|object| {
                object
                    .description
                    .or(object.value.map(|value| value.to_string()))
            });
            return Err(Error::Script(said.unwrap_or(thrown.text)));
        }
        Ok(result.result.value.unwrap_or_default())
    }
}

/// Returns a selector without the brackets and arrows that a dump writes around an id.
fn bare(selector: &str) -> &str {
    selector
        .trim()
        .trim_start_matches(['↑', '↓'])
        .trim_matches(['[', ']', ' '])
}
