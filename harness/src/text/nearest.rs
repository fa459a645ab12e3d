//! "Did you mean": suggests the known name nearest to an unknown one.

/// Returns the candidate that `name` most likely stands for. Either at most a third of its letters
/// are wrong, or it is an extension of `name`, or `name` extends it with a hyphen, as `arc-agi-2`
/// does `arc`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let word = candidate.to_lowercase();
            let wrong = strsim::damerau_levenshtein(&name, &word);
            let begins = name.len() >= 3 && word.starts_with(&name);
            let goes_on = name
                .strip_prefix(&word)
                .is_some_and(|rest| rest.starts_with('-'));
            (begins || goes_on || wrong * 3 <= word.chars().count()).then_some((wrong, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// Returns the end of an error message: the nearest name, or else all names.
pub(crate) fn did_you_mean(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known: {}", known.join(", ")),
    }
}
