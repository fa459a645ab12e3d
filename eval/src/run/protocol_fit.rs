//! Checks that a protocol supports the samples of a benchmark.

use benchmarks::{Dataset, DatasetError, UserEnvironment};
use harness::treatment::Treatment;
use harness::{Counterpart, InputKind, Protocol, protocol_words};

/// Settings that are unsuitable for the agents' input.
#[derive(Debug, thiserror::Error)]
pub enum UnfitProtocol {
    /// The protocol does not support the input.
    #[error("--protocol {protocol} cannot work on {subject}; use --protocol {}", protocol_words(.fitting))]
    Protocol {
        /// Name of the protocol.
        protocol: Protocol,
        /// Description of the input.
        subject: String,
        /// Protocols that support the input.
        fitting: Vec<Protocol>,
    },
    /// Settings describe how web pages are shown, but the samples do not have pages.
    #[error(
        "--dump-text and --dump-include describe how web pages are shown, but {0} does not have \
         pages; omit them"
    )]
    NoPages(String),
    /// The first sample cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// An agent talks with a person, but nobody can reply.
    #[error("the agent `{agent}` talks with a person through stdin, but {why}")]
    NoPerson {
        /// Name of the agent.
        agent: String,
        /// Reason, followed by advice.
        why: &'static str,
    },
}

/// Checks that this treatment supports the benchmark's samples, which all have the same kind of
/// input.
///
/// # Errors
/// [`UnfitProtocol`], which names the alternatives.
pub fn check(dataset: &dyn Dataset, treatment: &Treatment) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let subject = subject(dataset, first)?;
    shows_pages(subject, treatment, dataset.name())?;
    works_on(subject, treatment.protocol, || {
        format!("the {} of {}", subject.as_str(), dataset.name())
    })?;
    if dataset.has_follow_ups() && !treatment.protocol.capabilities().takes_follow_ups {
        return Err(UnfitProtocol::Protocol {
            protocol: treatment.protocol,
            subject: format!("{}, whose user sends several messages", dataset.name()),
            fitting: Protocol::all_with(|capabilities| capabilities.takes_follow_ups),
        });
    }
    check_nobody_answers(
        treatment,
        "a run does not have one; set its `sideB` to a prompt that speaks for the person, or use \
         `rlm-eval ask`",
    )
}

/// Checks that agents do not talk with a person; `why` is the reason why nobody can reply.
///
/// # Errors
/// [`UnfitProtocol::NoPerson`], which names the agent.
pub fn check_nobody_answers(treatment: &Treatment, why: &'static str) -> Result<(), UnfitProtocol> {
    let mut agents = treatment.tools.specialists.values();
    let with_person = agents.find(|agent| {
        let talk = agent.talk.as_ref();
        talk.is_some_and(|talk| talk.side_b == Counterpart::Person)
    });
    match with_person {
        None => Ok(()),
        Some(agent) => Err(UnfitProtocol::NoPerson {
            agent: agent.name.clone(),
            why,
        }),
    }
}

/// Returns the kind of a sample's input.
///
/// # Errors
/// [`DatasetError`] if the sample cannot be read.
pub fn subject(dataset: &dyn Dataset, id: &str) -> Result<InputKind, DatasetError> {
    Ok(match dataset.user_environment(id)? {
        Some(UserEnvironment::Site(_)) => InputKind::Pages,
        Some(UserEnvironment::Apps(_)) => InputKind::Apps,
        None if dataset.site(id).is_some() => InputKind::Pages,
        None if dataset.app_world(id).is_some() => InputKind::Apps,
        None => InputKind::Texts,
    })
}

/// Checks that the protocol supports a question about the environment `world`, or about a context
/// if `world` is `None`.
///
/// # Errors
/// [`UnfitProtocol`], which names the supported protocols.
pub fn check_question(
    treatment: &Treatment,
    world: Option<&UserEnvironment>,
) -> Result<(), UnfitProtocol> {
    let (subject, words) = match world {
        None => (
            InputKind::Texts,
            "a question without a web page (--url) or a document (--document)",
        ),
        Some(UserEnvironment::Site(_)) => (InputKind::Pages, "a web page"),
        Some(UserEnvironment::Apps(_)) => (InputKind::Apps, "documents"),
    };
    shows_pages(subject, treatment, words)?;
    works_on(subject, treatment.protocol, || words.to_owned())
}

/// Rejects page-dump settings for samples without pages.
fn shows_pages(
    subject: InputKind,
    treatment: &Treatment,
    words: &str,
) -> Result<(), UnfitProtocol> {
    if subject == InputKind::Pages || treatment.pages.is_plain() {
        return Ok(());
    }
    Err(UnfitProtocol::NoPages(words.to_owned()))
}

fn works_on(
    subject: InputKind,
    protocol: Protocol,
    words: impl FnOnce() -> String,
) -> Result<(), UnfitProtocol> {
    if protocol.capabilities().inputs.contains(&subject) {
        return Ok(());
    }
    Err(UnfitProtocol::Protocol {
        protocol,
        subject: words(),
        fitting: Protocol::supporting(subject),
    })
}
