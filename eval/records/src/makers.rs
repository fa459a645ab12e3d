//! Which programs made the attempts of runs, and how they differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::AttemptRecord;
use crate::program::{Program, short};
use crate::run_dir::Lock;

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
            .map(|difference| difference.between("in one", "in the other"))
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
