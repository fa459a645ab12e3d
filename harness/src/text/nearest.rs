//! "Did you mean": the nearest known name to one that is not known.

/// The candidate that `name` most likely stands for: at most a third of its letters are wrong, or
/// it begins one.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let wrong = strsim::damerau_levenshtein(&name, candidate);
            let begins = name.len() >= 3 && candidate.starts_with(&name);
            (begins || wrong * 3 <= candidate.chars().count()).then_some((wrong, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// The end of an error's message: the nearest name, or else all of them.
pub(crate) fn did_you_mean(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known: {}", known.join(", ")),
    }
}
