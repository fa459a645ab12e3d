//! Whether a protocol can work on what a benchmark consists of: the protocol says on what it can.

use benchmarks::{Dataset, DatasetError, OwnWorld};
use harness::treatment::Treatment;
use harness::{Other, Protocol, Subject, protocol_words};

/// Settings that do not go with what the agents are to work on.
#[derive(Debug, thiserror::Error)]
pub enum UnfitProtocol {
    /// The protocol cannot work on it.
    #[error("--protocol {protocol} cannot work on {subject}; use --protocol {}", protocol_words(.fitting))]
    Protocol {
        /// The protocol.
        protocol: Protocol,
        /// What they are to work on.
        subject: String,
        /// The protocols that can.
        fitting: Vec<Protocol>,
    },
    /// It has no pages, of which the settings say how they are shown.
    #[error(
        "--dump-text and --dump-also say how web pages are shown, and {0} has none; leave them out"
    )]
    NoPages(String),
    /// What it is to work on is not known.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// An agent needs a person, and nobody can answer.
    #[error("the agent `{agent}` talks with a person by stdin, and {why}")]
    NoPerson {
        /// The agent.
        agent: String,
        /// Why nobody can, and what to do.
        why: &'static str,
    },
}

/// Checks that agents of this treatment can work where the samples are. All samples of a benchmark are of one kind.
///
/// # Errors
/// [`UnfitProtocol`], which says what would go with it.
pub fn check(dataset: &dyn Dataset, treatment: &Treatment) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let subject = subject(dataset, first)?;
    shows_pages(subject, treatment, dataset.name())?;
    works_on(subject, treatment.protocol, || {
        format!("the {} of {}", subject.as_str(), dataset.name())
    })?;
    if dataset.has_follow_ups() && !HEARS_MORE.contains(&treatment.protocol) {
        return Err(UnfitProtocol::Protocol {
            protocol: treatment.protocol,
            subject: format!("{}, whose user says more than once", dataset.name()),
            fitting: HEARS_MORE.to_vec(),
        });
    }
    check_nobody_answers(
        treatment,
        "nobody sits there in a run; name a prompt that speaks for the person as its `sideB`, or use `rlm-eval ask`",
    )
}

/// Checks that no agent talks with a person, because of `why`.
///
/// # Errors
/// [`UnfitProtocol::NoPerson`]
pub fn check_nobody_answers(treatment: &Treatment, why: &'static str) -> Result<(), UnfitProtocol> {
    let mut agents = treatment.tools.specialists.values();
    let with_person = agents.find(|agent| {
        let talk = agent.talk.as_ref();
        talk.is_some_and(|talk| talk.side_b == Other::Person)
    });
    match with_person {
        None => Ok(()),
        Some(agent) => Err(UnfitProtocol::NoPerson {
            agent: agent.name.clone(),
            why,
        }),
    }
}

/// The protocols in which the user goes on after an answer.
const HEARS_MORE: [Protocol; 4] = [
    Protocol::Rlm,
    Protocol::AgentTurn,
    Protocol::JsonAction,
    Protocol::Codeact,
];

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
pub fn check_question(
    treatment: &Treatment,
    world: Option<&OwnWorld>,
) -> Result<(), UnfitProtocol> {
    let (subject, words) = match world {
        None => (
            Subject::Texts,
            "a question without a web page (--url) or a document (--document)",
        ),
        Some(OwnWorld::Site(_)) => (Subject::Pages, "a web page"),
        Some(OwnWorld::Apps(_)) => (Subject::Apps, "documents"),
    };
    shows_pages(subject, treatment, words)?;
    works_on(subject, treatment.protocol, || words.to_owned())
}

/// Refuses settings of dumps where there are no pages.
fn shows_pages(subject: Subject, treatment: &Treatment, words: &str) -> Result<(), UnfitProtocol> {
    if subject == Subject::Pages || treatment.dump.is_plain() {
        return Ok(());
    }
    Err(UnfitProtocol::NoPages(words.to_owned()))
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
