//! Suggests the known name that is most similar to an unknown one.

/// Returns the candidate that `name` most likely means, if any. A candidate qualifies if at most a
/// third of its characters differ, if it begins with `name`, or if `name` is the candidate plus a
/// suffix such as `-agi-2`.
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

/// Formats the end of an error message about an unknown name, which suggests the nearest of the
/// known names or else lists all.
pub(crate) fn hint_for_unknown(name: &str, known: &[String]) -> String {
    let nearest = nearest(name, known.iter().map(String::as_str));
    did_you_mean(nearest.as_deref(), known)
}

/// Formats the end of an error message, which suggests the nearest name or else lists all known
/// names.
pub(crate) fn did_you_mean(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known: {}", known.join(", ")),
    }
}
