//! Tracks which programs ran the attempts of a run, and describes how the programs differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::AttemptRecord;
use crate::program::{Program, short};
use crate::run_dir::Lock;

/// Programs that ran the attempts of a run, with the number of attempts for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramVersions {
    /// Number of attempts by digest of the program, or by `None` if the program is not recorded.
    attempts: BTreeMap<Option<String>, u64>,
    /// Programs whose components are recorded, by digest.
    known: BTreeMap<String, Program>,
}

impl ProgramVersions {
    /// Collects the programs of a run from its lock and records.
    pub fn of(lock: &Lock, records: &[AttemptRecord]) -> Self {
        let mut program_versions = Self::default();
        for program in lock.programs() {
            program_versions.known.insert(program.digest(), program);
        }
        for record in records {
            program_versions.add(record.program.clone());
        }
        program_versions
    }

    /// Counts an attempt under the digest of its program. A value that is not a SHA-256 digest
    /// counts as not recorded, because it may come from an untrusted file.
    pub fn add(&mut self, program: Option<String>) {
        let is_digest =
            |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let program = program.filter(is_digest);
        *self.attempts.entry(program).or_default() += 1;
    }

    /// Returns the recorded digests, sorted.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.attempts.keys().flatten().map(String::as_str)
    }

    /// Whether the program of at least one attempt is not recorded.
    pub fn any_unknown(&self) -> bool {
        self.attempts.contains_key(&None)
    }

    /// Whether both runs have the same recorded programs, or one of them has none.
    pub fn agree(&self, other: &Self) -> bool {
        let [one, two] =
            [self, other].map(|program_versions| program_versions.digests().collect::<Vec<_>>());
        one.is_empty() || two.is_empty() || one == two
    }

    /// Describes how two programs differ, given their digests: `one` is from `self`, `there` from
    /// `other`.
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

/// Returns sentences about runs that several programs made, and about runs whose programs differ
/// from those of the first run. Each run is given with its display name.
pub fn remarks<'a>(runs: impl IntoIterator<Item = (String, &'a ProgramVersions)>) -> Vec<String> {
    let runs: Vec<(String, &ProgramVersions)> = runs.into_iter().collect();
    let mut remarks: Vec<String> = runs
        .iter()
        .filter_map(|(name, program_versions)| within(name, program_versions))
        .collect();
    let Some((first_name, first)) = runs.first() else {
        return remarks;
    };
    let any_known = runs
        .iter()
        .any(|(_, program_versions)| program_versions.digests().next().is_some());
    for (name, program_versions) in &runs {
        if any_known
            && !program_versions.attempts.is_empty()
            && program_versions.digests().next().is_none()
        {
            remarks.push(format!(
                "The program that made {name} is not recorded: it may differ from the others."
            ));
        }
    }
    for (name, program_versions) in &runs[1..] {
        if program_versions.attempts.keys().eq(first.attempts.keys()) {
            continue;
        }
        // Prefer programs that the runs do not share; otherwise, use the first program of each run.
        let other = program_versions
            .digests()
            .find(|digest| !first.digests().any(|known| known == *digest));
        let other = other.or_else(|| program_versions.digests().next());
        let one = first.digests().find(|digest| Some(*digest) != other);
        if let (Some(one), Some(other)) = (one, other) {
            remarks.push(format!(
                "{first_name} and {name} were made by different program versions: {}.",
                first.difference(program_versions, one, other)
            ));
        }
    }
    remarks
}

/// Returns a sentence if several programs ran the attempts of a run.
fn within(name: &str, program_versions: &ProgramVersions) -> Option<String> {
    if program_versions.attempts.len() < 2 {
        return None;
    }
    let counts: Vec<String> = program_versions
        .attempts
        .iter()
        .map(|(program, count)| match program {
            Some(digest) => format!("{count} by {}", short(digest)),
            None => format!("{count} by an unrecorded program"),
        })
        .collect();
    let mut text = format!(
        "The attempts of {name} were made by different program versions: {}",
        counts.join(", ")
    );
    let mut digests = program_versions.digests();
    let mut known = || program_versions.known.get(digests.next()?);
    // If the components are not recorded, the digests in the counts are the only known difference.
    if let (Some(one), Some(other)) = (known(), known()) {
        text += &format!("; {}", one.difference(other));
    }
    Some(text + ".")
}

/// Describes, as a clause, how the programs of two runs differ. Returns `None` if no difference is
/// known.
pub fn difference(one: &Lock, other: &Lock) -> Option<String> {
    // `None` is a program that is not recorded.
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
            .map(|difference| difference.between("in one", "in the other"))
            .collect();
        return (!words.is_empty()).then(|| words.join("; "));
    }
    let own = here.difference(&there).next().or(here.first());
    let others = there.difference(&here).next().or(there.first());
    Some(match (own, others) {
        (Some(Some(own)), Some(Some(others))) => own.difference(others),
        (Some(None), _) => "the program of the first is not recorded".to_owned(),
        _ => "the program of the second is not recorded".to_owned(),
    })
}
