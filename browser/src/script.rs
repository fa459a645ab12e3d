//! How this crate's JavaScript runs in a page: in a world of its own, as often as the page exchanges its document.

use chromiumoxide::cdp::browser_protocol::page::CreateIsolatedWorldParams;
use chromiumoxide::cdp::js_protocol::runtime::{EvaluateParams, ExecutionContextId};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::page::{Page, SETTLE};

const DUMP: &str = include_str!("../js/dump.js");
const ACTIONS: &str = include_str!("../js/actions.js");
/// The JavaScript world of this crate's own scripts, which the page can neither see nor change.
const WORLD: &str = "environment";
/// Attempts at a script while the page exchanges its document.
const TRIES: u32 = 5;

impl Page {
    pub(crate) async fn string(&self, what: &'static str, script: &str) -> Result<String> {
        match self.in_world(what, script).await? {
            Value::String(text) => Ok(text),
            _ => Err(self.unexpected("a value that is no text")),
        }
    }

    /// Calls a function of `js/actions.js` and tells its problems apart.
    pub(crate) async fn act(&self, what: &'static str, given: &str, call: &str) -> Result<Value> {
        let value = self.in_world(what, &format!("pageActions.{call}")).await?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let selector = || given.chars().take(200).collect();
        let mut id = text("id");
        let mut problem = value["problem"].as_str();
        if matches!(problem, Some("unmatched" | "malformed"))
            && let Some(hash) = self.tab.hash_in(given)
        {
            hash.clone_into(&mut id);
            problem = Some("unknown");
        }
        Err(match problem {
            None => return Ok(value),
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

    pub(crate) async fn act_and_settle(
        &self,
        what: &'static str,
        selector: &str,
        call: &str,
    ) -> Result<()> {
        self.ready()?;
        match self.act(what, selector, call).await {
            Ok(_) | Err(Error::DialogOpen { .. }) if self.dialog().is_some() => Ok(()),
            Ok(_) => self.in_time(what, self.settle()).await,
            Err(error) => Err(error),
        }
    }

    /// Runs a script beside the library of this crate, in a world apart from the page's.
    pub(crate) async fn in_world(&self, what: &'static str, script: &str) -> Result<Value> {
        let script = format!(
            "(() => {{ globalThis.pageDump ??= {DUMP};\nglobalThis.pageActions ??= {ACTIONS}(globalThis.pageDump);\nreturn {script}; }})()"
        );
        self.in_time(what, async {
            let mut tried = 0;
            loop {
                tried += 1;
                let mut world = CreateIsolatedWorldParams::new(self.tab.target.clone());
                world.world_name = Some(WORLD.to_owned());
                let result = match self.run(world).await {
                    Ok(world) => {
                        self.evaluate_in(Some(world.execution_context_id), &script)
                            .await
                    }
                    Err(error) => Err(error),
                };
                match result {
                    // The page has just moved on: the script did not begin, and the next document will take it.
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

    pub(crate) async fn evaluate_in(
        &self,
        world: Option<ExecutionContextId>,
        script: &str,
    ) -> Result<Value> {
        let mut evaluate = EvaluateParams::new(script);
        evaluate.context_id = world;
        evaluate.await_promise = Some(true);
        evaluate.return_by_value = Some(true);
        evaluate.user_gesture = Some(true);
        let result = match self.run(evaluate).await {
            Err(Error::Protocol { message, .. })
                if message.contains("reference chain") || message.contains("serializ") =>
            {
                return Err(Error::Script(format!("its value is not JSON: {message}")));
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
