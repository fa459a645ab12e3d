//! "Did you mean": the known word that is most like one that is not known.

/// Below this likeness, from 0 to 1, a suggestion would only mislead.
const LIKE_ENOUGH: f64 = 0.7;

/// The word most like `given`. Jaro-Winkler favours a common beginning, so `arc-agi-2` finds `arc`.
pub(super) fn nearest<'a>(
    given: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = given.to_lowercase();
    words
        .into_iter()
        .map(|word| (strsim::jaro_winkler(&given, &word.to_lowercase()), word))
        .filter(|(likeness, _)| *likeness >= LIKE_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}
