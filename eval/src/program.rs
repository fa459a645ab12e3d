//! Which program this is: a digest of everything compiled in that can change an answer, by component.
//!
//! The build script `build.rs` digests the sources; `build/sources.rs` says which ones count, and `build/dependencies.rs`
//! which dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use harness::sandbox::ENGINE;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::record::AttemptRecord;
use crate::run_dir::Lock;

/// Components by name, each with the SHA-256 of its sources.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// The component that is a name and no digest: `quickjs` or `v8`.
const ENGINE_COMPONENT: &str = "engine";

/// Characters of a digest that tell programs apart in a sentence.
const SHORT: usize = 12;

/// A program by its components: `sandbox`, `harness`, `prompts`, …, each with its digest in lower-case hex, and `engine`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Program(BTreeMap<String, String>);

impl Program {
    /// This program.
    pub fn this() -> &'static Self {
        static THIS: LazyLock<Program> = LazyLock::new(|| {
            let engine = [(ENGINE_COMPONENT, ENGINE)];
            let all = SOURCES.iter().copied().chain(engine);
            Program(
                all.map(|(name, digest)| (name.to_owned(), digest.to_owned()))
                    .collect(),
            )
        });
        &THIS
    }

    /// Lower-case hex SHA-256 over names and digests of all components.
    pub fn digest(&self) -> String {
        let lines: String = self
            .0
            .iter()
            .map(|(name, digest)| format!("{name} {digest}\n"))
            .collect();
        hex::encode(Sha256::digest(lines))
    }

    /// The components, by name.
    pub fn components(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// In which components two programs differ, as a clause: `the sandbox and the prompts differ`.
    pub fn difference(&self, other: &Self) -> String {
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let differing: Vec<String> = names
            .into_iter()
            .filter(|name| self.0.get(*name) != other.0.get(*name))
            .map(|name| spoken(name))
            .collect();
        match differing.as_slice() {
            [] => "nothing differs".to_owned(),
            [one] if !one.ends_with('s') || one.ends_with("harness") => format!("{one} differs"),
            [one] => format!("{one} differ"),
            [most @ .., last] => format!("{} and {last} differ", most.join(", ")),
        }
    }
}

/// A component in a sentence. Its name may come from any file.
fn spoken(name: &str) -> String {
    /// Characters of the longest name that any version has.
    const LONGEST: usize = 32;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if name.len() <= LONGEST && name.bytes().all(plain) {
        format!("the {}", name.replace('_', " "))
    } else {
        "an unknown component".to_owned()
    }
}

/// How the programs that have worked on two runs differ, as a clause; none if they are the same as far as is known.
pub fn difference(one: &Lock, other: &Lock) -> Option<String> {
    // One that is not recorded is a program of its own.
    let all = |lock: &Lock| -> BTreeSet<Option<Program>> {
        let later = lock.later_programs.iter().cloned().map(Some);
        later.chain([lock.fingerprint.program()]).collect()
    };
    let (here, there) = (all(one), all(other));
    if here == there {
        let earlier = one
            .fingerprint
            .earlier_program_differences(&other.fingerprint);
        let words: Vec<String> = earlier
            .iter()
            .map(|difference| difference.between("in the one", "in the other"))
            .collect();
        return (!words.is_empty()).then(|| words.join("; "));
    }
    let own = here.difference(&there).next().or(here.first());
    let others = there.difference(&here).next().or(there.first());
    Some(match (own, others) {
        (Some(Some(own)), Some(Some(others))) => own.difference(others),
        (Some(None), _) => "that of the first is not recorded".to_owned(),
        _ => "that of the second is not recorded".to_owned(),
    })
}

/// What `--version` shows: the version, the digest of the program and its components.
pub fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let this = Program::this();
        let version = env!("CARGO_PKG_VERSION");
        let lines = this.components().iter();
        let lines = lines.map(|(name, digest)| format!("\n  {name:<16} {}", short(digest)));
        format!(
            "{version}\nprogram {}{}",
            this.digest(),
            lines.collect::<String>()
        )
    });
    &TEXT
}

/// The beginning of a digest.
fn short(digest: &str) -> &str {
    digest.get(..SHORT).unwrap_or(digest)
}

/// The programs that made the attempts of a run, each with how many: none stands for one that is not recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Makers {
    attempts: BTreeMap<Option<String>, u64>,
    /// Components of those that are known by more than their digest.
    known: BTreeMap<String, Program>,
}

impl Makers {
    /// Those of a run directory.
    pub fn of(lock: &Lock, records: &[AttemptRecord]) -> Self {
        let mut makers = Self::default();
        for program in lock.programs() {
            makers.known.insert(program.digest(), program);
        }
        for record in records {
            makers.add(record.program.clone());
        }
        makers
    }

    /// Counts an attempt in, by the digest of its program. What is no digest says nothing: anybody may have written it.
    pub fn add(&mut self, program: Option<String>) {
        let is_digest =
            |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let program = program.filter(is_digest);
        *self.attempts.entry(program).or_default() += 1;
    }

    /// The digests, in their order.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.attempts.keys().flatten().map(String::as_str)
    }

    /// Whether the program of any attempt is not recorded.
    pub fn any_unknown(&self) -> bool {
        self.attempts.contains_key(&None)
    }

    /// Whether the same programs made the attempts of both, as far as is recorded.
    pub fn agree(&self, other: &Self) -> bool {
        let [one, two] = [self, other].map(|makers| makers.digests().collect::<Vec<_>>());
        one.is_empty() || two.is_empty() || one == two
    }

    /// How the programs of `one` and `other` differ, in words.
    fn difference(&self, other: &Self, one: &str, there: &str) -> String {
        match (self.known.get(one), other.known.get(there)) {
            (Some(one), Some(there)) => one.difference(there),
            _ => format!(
                "their digests begin with {} and {}",
                short(one),
                short(there)
            ),
        }
    }
}

/// What readers of several runs have to know of the programs that made them, a sentence each: attempts of one run by
/// different programs, and runs by other programs than the first. Runs are given with the names that the reader knows.
pub fn remarks<'a>(runs: impl IntoIterator<Item = (String, &'a Makers)>) -> Vec<String> {
    let runs: Vec<(String, &Makers)> = runs.into_iter().collect();
    let mut remarks: Vec<String> = runs
        .iter()
        .filter_map(|(name, makers)| within(name, makers))
        .collect();
    let Some((first_name, first)) = runs.first() else {
        return remarks;
    };
    let any_known = runs
        .iter()
        .any(|(_, makers)| makers.digests().next().is_some());
    for (name, makers) in &runs {
        if any_known && !makers.attempts.is_empty() && makers.digests().next().is_none() {
            remarks.push(format!(
                "The program that made {name} is not recorded: it may differ from the others."
            ));
        }
    }
    for (name, makers) in &runs[1..] {
        if makers.attempts.keys().eq(first.attempts.keys()) {
            continue;
        }
        // The one that they do not share, or else the first of each.
        let other = makers
            .digests()
            .find(|digest| !first.digests().any(|known| known == *digest));
        let other = other.or_else(|| makers.digests().next());
        let one = first.digests().find(|digest| Some(*digest) != other);
        if let (Some(one), Some(other)) = (one, other) {
            remarks.push(format!(
                "{first_name} and {name} were made by different programs: {}.",
                first.difference(makers, one, other)
            ));
        }
    }
    remarks
}

/// Says of a run that its attempts come from several programs, if they do.
fn within(name: &str, makers: &Makers) -> Option<String> {
    if makers.attempts.len() < 2 {
        return None;
    }
    let counts: Vec<String> = makers
        .attempts
        .iter()
        .map(|(program, count)| match program {
            Some(digest) => format!("{count} by {}", short(digest)),
            None => format!("{count} by one that is not recorded"),
        })
        .collect();
    let mut text = format!(
        "The attempts of {name} were made by different programs: {}",
        counts.join(", ")
    );
    let mut digests = makers.digests();
    let mut known = || makers.known.get(digests.next()?);
    // Of those that are known by their digests alone, the counts have said all.
    if let (Some(one), Some(other)) = (known(), known()) {
        text += &format!("; {}", one.difference(other));
    }
    Some(text + ".")
}
