//! Whether a protocol can work on what a benchmark consists of: the protocol says on what it can.

use benchmarks::{Dataset, DatasetError, OwnWorld};
use harness::{Protocol, Subject, protocol_words};

/// The protocol cannot work on what it is to work on.
#[derive(Debug, thiserror::Error)]
pub enum UnfitProtocol {
    /// It cannot.
    #[error("--protocol {protocol} cannot work on {subject}; use --protocol {}", protocol_words(.fitting))]
    Protocol {
        /// The protocol.
        protocol: Protocol,
        /// What it is to work on.
        subject: String,
        /// Those that can.
        fitting: Vec<Protocol>,
    },
    /// What it is to work on is not known.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// Checks that the protocol can work where the samples are. All samples of a benchmark are of one kind.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check(dataset: &dyn Dataset, protocol: Protocol) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let subject = subject(dataset, first)?;
    works_on(subject, protocol, || {
        format!("the {} of {}", subject.as_str(), dataset.name())
    })?;
    if dataset.has_follow_ups() && !HEARS_MORE.contains(&protocol) {
        return Err(UnfitProtocol::Protocol {
            protocol,
            subject: format!("{}, whose user says more than once", dataset.name()),
            fitting: HEARS_MORE.to_vec(),
        });
    }
    Ok(())
}

/// The protocols in which the user goes on after an answer.
const HEARS_MORE: [Protocol; 3] = [Protocol::Rlm, Protocol::AgentTurn, Protocol::JsonAction];

/// What a sample is worked on in.
///
/// # Errors
/// The sample cannot be read.
pub fn subject(dataset: &dyn Dataset, id: &str) -> Result<Subject, DatasetError> {
    Ok(match dataset.own_world(id)? {
        Some(OwnWorld::Site(_)) => Subject::Pages,
        Some(OwnWorld::Apps(_)) => Subject::Apps,
        None if dataset.site(id).is_some() => Subject::Pages,
        None if dataset.app_world(id).is_some() => Subject::Apps,
        None => Subject::Texts,
    })
}

/// Checks that the protocol can work on a question with its context, or with the world that it is asked in.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check_question(protocol: Protocol, world: Option<&OwnWorld>) -> Result<(), UnfitProtocol> {
    let (subject, words) = match world {
        None => (
            Subject::Texts,
            "a question without a web page (--url) or a document (--document)",
        ),
        Some(OwnWorld::Site(_)) => (Subject::Pages, "a web page"),
        Some(OwnWorld::Apps(_)) => (Subject::Apps, "documents"),
    };
    works_on(subject, protocol, || words.to_owned())
}

fn works_on(
    subject: Subject,
    protocol: Protocol,
    words: impl FnOnce() -> String,
) -> Result<(), UnfitProtocol> {
    if protocol.nature().subjects.contains(&subject) {
        return Ok(());
    }
    Err(UnfitProtocol::Protocol {
        protocol,
        subject: words(),
        fitting: Protocol::that_work_on(subject),
    })
}
