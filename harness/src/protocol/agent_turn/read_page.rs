//! Reads the page for the last message of the next request.

use super::texts::{page_block, page_failed};
use crate::agent::{Attempt, Failure, Invocation, seen};
use crate::model::web::{Page, PageError, PageProblem};
use crate::model::{EventKind, Message, WebEvent};
use crate::prompt::sections::WEB_NO_DUMP;
use crate::prompt::{AgentTurnSettings, DomHeader, blocked_addresses};

/// Returns a message with the current page, and a screenshot if the settings require one. Records
/// the page, and a screenshot if the run records them.
pub(super) async fn look(
    attempt: &Attempt<'_>,
    root: &Invocation,
    page: &dyn Page,
    settings: &AgentTurnSettings,
) -> Result<Message, Failure> {
    let _working = attempt.meter.begin();
    let record = |event| attempt.records.emit(root, EventKind::Web { event });
    let mut responds = true;
    let mut text = match page
        .dump(&settings.dump(attempt.run.treatment.pages.extensions()))
        .await
    {
        Ok(dump) => {
            let shown = match settings.dom_header {
                DomHeader::All => dump.text(),
                DomHeader::Url => dump.tree.clone(),
            };
            let text = page_block(&dump.url, &shown);
            attempt.records.emit(root, seen(dump, &shown));
            text
        }
        Err(error) => {
            responds = error.problem != PageProblem::TimedOut;
            let message = message_of(error)?;
            record(WebEvent::NoPage {
                problem: message.clone(),
            });
            page_block("unknown", &WEB_NO_DUMP.render([&message]))
        }
    };
    let addresses = page.drain_blocked_requests();
    if !addresses.is_empty() {
        text = format!("{text}\n\n{}", blocked_addresses(&addresses));
        record(WebEvent::Refused { addresses });
    }
    let attach = settings.attach_screenshot;
    let mut block = Message::user(text);
    // Skip the screenshot of an unresponsive page, which would also time out.
    if responds && (attach || attempt.run.conduct.screenshots) {
        match page.screenshot().await {
            Ok(image) => {
                if attach {
                    block.images.push(image.clone());
                }
                if attempt.run.conduct.screenshots {
                    record(WebEvent::Screenshot { image });
                }
            }
            Err(error) => drop(message_of(error)?),
        }
    }
    Ok(block)
}

/// Converts an error to a message for the model, or to a failure if the browser is broken.
fn message_of(error: PageError) -> Result<String, Failure> {
    if error.problem == PageProblem::Broken {
        return Err(error.into());
    }
    Ok(page_failed(&error))
}
