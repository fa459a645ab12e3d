//! YAML as its version 1.2 has it (<https://yaml.org/spec/1.2.2/#1032-tag-resolution>): `y`, `no` and `on` are words, not booleans.

use serde::de::DeserializeOwned;

/// Reads a value. Wherever people write YAML, it is read by this, so that a list of names such as `[x, y]` is one of texts.
///
/// # Errors
/// What is wrong with the text, or how it differs from what was expected, with its line.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn words_are_no_booleans() {
        let read: Value = super::read("[x, y, n, yes, No, on, off, true, False]").unwrap();
        let words = json!(["x", "y", "n", "yes", "No", "on", "off", true, false]);
        assert_eq!(read, words);
        assert!(super::read::<bool>("yes").is_err());
    }
}
