//! Which protocols can work on what: a REPL or a prompt on texts, an agent on web pages, one that builds apps on apps.

use benchmarks::Dataset;
use harness::Protocol;

const ON_TEXTS: &[Protocol] = &[Protocol::Rlm, Protocol::Direct, Protocol::Tools];
const ON_PAGES: &[Protocol] = &[Protocol::Rlm, Protocol::AgentTurn];
const ON_APPS: &[Protocol] = &[Protocol::JsonAction];

/// The protocol cannot work on what it is to work on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("--protocol {protocol} cannot work on {subject}; use --protocol {}", words(.fitting))]
pub struct UnfitProtocol {
    protocol: Protocol,
    subject: String,
    fitting: &'static [Protocol],
}

/// Checks that the protocol can work where the samples are. All samples of a benchmark are of one kind.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check(dataset: &dyn Dataset, protocol: Protocol) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let (kind, fitting) = if dataset.world(first).is_some() {
        ("web pages", ON_PAGES)
    } else if dataset.app_world(first).is_some() {
        ("apps", ON_APPS)
    } else {
        ("texts", ON_TEXTS)
    };
    among(fitting, protocol, || {
        format!("the {kind} of {}", dataset.name())
    })
}

/// Checks that the protocol can work on a question and its context.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check_question(protocol: Protocol) -> Result<(), UnfitProtocol> {
    among(ON_TEXTS, protocol, || {
        "a question without a web page".to_owned()
    })
}

fn among(
    fitting: &'static [Protocol],
    protocol: Protocol,
    subject: impl FnOnce() -> String,
) -> Result<(), UnfitProtocol> {
    if fitting.contains(&protocol) {
        return Ok(());
    }
    Err(UnfitProtocol {
        protocol,
        subject: subject(),
        fitting,
    })
}

fn words(protocols: &[Protocol]) -> String {
    let words: Vec<&str> = protocols.iter().map(|protocol| protocol.as_str()).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}
