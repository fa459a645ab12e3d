//! References to models: which forms there are, and which of them name a model.

use super::SettingsError;
use super::nearest::nearest;

/// The forms of a model reference, each with what it stands for.
pub const MODEL_FORMS: [(&str, &str); 4] = [
    ("scripted", "the scripted model made for the benchmark"),
    ("scripted/NAME", "a bundled scripted model"),
    ("scripted:FILE", "a scripted model of your own, a YAML file"),
    ("replay:FILE", "the responses that an earlier run recorded"),
];

/// Checks that a reference has one of the known forms. `place` says where it stands: `--model`.
///
/// # Errors
/// [`SettingsError::UnknownModel`] with the nearest form.
pub(super) fn check(place: &str, given: &str) -> Result<(), SettingsError> {
    let (provider, rest) = split(given);
    let known = match provider {
        "scripted" => rest.len() != 1,
        "replay" => rest.starts_with(':') && rest.len() > 1,
        _ => false,
    };
    if known {
        return Ok(());
    }
    let suggestion = match provider {
        "scripted" | "replay" => None,
        _ => nearest(provider, ["scripted", "replay"]).map(|provider| format!("{provider}{rest}")),
    };
    Err(SettingsError::UnknownModel {
        place: place.to_owned(),
        given: given.to_owned(),
        nearest: suggestion,
    })
}

/// The name by which profiles match a model. A file has none: what its path happens to hold says nothing
/// about the model.
pub(super) fn profile_name(given: &str) -> Option<&str> {
    (!given.starts_with("scripted:") && !given.starts_with("replay:")).then_some(given)
}

/// The provider, and the rest with its separator.
fn split(given: &str) -> (&str, &str) {
    given.split_at(given.find(['/', ':']).unwrap_or(given.len()))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn knows_the_forms_of_references() {
        let cases = [
            ("scripted", Ok(())),
            ("scripted/s-niah", Ok(())),
            ("scripted:models/a.yaml", Ok(())),
            ("replay:results/run/trajectories", Ok(())),
            ("scripted/", Err("")),
            ("scripted:", Err("")),
            ("replay", Err("")),
            ("replay:", Err("")),
            ("replay/x", Err("")),
            ("", Err("")),
            ("openai/gpt-5", Err("")),
            ("script/echo", Err("; did you mean `scripted/echo`?")),
            ("Scripted", Err("; did you mean `scripted`?")),
            ("reply:a/b", Err("; did you mean `replay:a/b`?")),
        ];
        for (given, expected) in cases {
            let expected = expected.map_err(|end| {
                format!(
                    "--model: unknown model `{given}`{end}{}",
                    if end.is_empty() {
                        "; known: scripted, scripted/NAME, scripted:FILE, replay:FILE"
                    } else {
                        ""
                    }
                )
            });
            let got = check("--model", given).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{given:?}");
        }
    }
}
