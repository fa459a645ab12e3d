//! Whether a protocol can work on what a benchmark consists of: the protocol says on what it can.

use benchmarks::Dataset;
use harness::{Protocol, Subject, protocol_words};

/// The protocol cannot work on what it is to work on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("--protocol {protocol} cannot work on {subject}; use --protocol {}", protocol_words(.fitting))]
pub struct UnfitProtocol {
    protocol: Protocol,
    subject: String,
    fitting: Vec<Protocol>,
}

/// Checks that the protocol can work where the samples are. All samples of a benchmark are of one kind.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check(dataset: &dyn Dataset, protocol: Protocol) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let subject = if dataset.site(first).is_some() {
        Subject::Pages
    } else if dataset.app_world(first).is_some() {
        Subject::Apps
    } else {
        Subject::Texts
    };
    works_on(subject, protocol, || {
        format!("the {} of {}", subject.as_str(), dataset.name())
    })
}

/// Checks that the protocol can work on a question and its context.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check_question(protocol: Protocol) -> Result<(), UnfitProtocol> {
    works_on(Subject::Texts, protocol, || {
        "a question without a web page".to_owned()
    })
}

fn works_on(
    subject: Subject,
    protocol: Protocol,
    words: impl FnOnce() -> String,
) -> Result<(), UnfitProtocol> {
    if protocol.nature().subjects.contains(&subject) {
        return Ok(());
    }
    Err(UnfitProtocol {
        protocol,
        subject: words(),
        fitting: Protocol::that_work_on(subject),
    })
}
