//! Which protocols can work on the samples of a benchmark: in a REPL or a prompt, on a web page, or among apps.

use benchmarks::Dataset;
use harness::Protocol;

/// The protocol has no way to the benchmark's samples.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("--protocol {protocol}: it has no way to {place} of {benchmark}; {} has one", names(.fitting, " or "))]
pub struct UnfitProtocol {
    benchmark: String,
    protocol: Protocol,
    /// What the samples are.
    place: &'static str,
    fitting: &'static [Protocol],
}

impl UnfitProtocol {
    /// The flags that would be right.
    pub fn hint(&self) -> String {
        let flags: Vec<String> = self
            .fitting
            .iter()
            .map(|fit| format!("--protocol {fit}"))
            .collect();
        format!("use {}", flags.join(" or "))
    }
}

/// Checks that the protocol can work where the samples are. All samples of a benchmark are of one kind.
///
/// # Errors
/// [`UnfitProtocol`], which names those that can.
pub fn check(dataset: &dyn Dataset, protocol: Protocol) -> Result<(), UnfitProtocol> {
    let Some(first) = dataset.ids().first() else {
        return Ok(());
    };
    let (place, fitting): (_, &'static [Protocol]) = if dataset.world(first).is_some() {
        ("the web pages", &[Protocol::Rlm, Protocol::AgentTurn])
    } else if dataset.app_world(first).is_some() {
        ("the apps and documents", &[Protocol::JsonAction])
    } else {
        (
            "the texts",
            &[Protocol::Rlm, Protocol::Direct, Protocol::Tools],
        )
    };
    if fitting.contains(&protocol) {
        return Ok(());
    }
    Err(UnfitProtocol {
        benchmark: dataset.name().to_owned(),
        protocol,
        place,
        fitting,
    })
}

fn names(protocols: &[Protocol], last: &str) -> String {
    let names: Vec<&str> = protocols.iter().map(|protocol| protocol.as_str()).collect();
    match names.split_last() {
        Some((end, [])) => (*end).to_owned(),
        Some((end, others)) => format!("{}{last}{end}", others.join(", ")),
        None => String::new(),
    }
}
