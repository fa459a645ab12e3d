//! Keys of a US keyboard: the physical key, key number and text for each key value.
//!
//! Sources: <https://www.w3.org/TR/uievents-key/>, <https://www.w3.org/TR/uievents-code/> and, for
//! numbers, <https://www.w3.org/TR/uievents/#legacy-key-models>.

/// Properties of a key in a keyboard event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Code of the physical key.
    pub code: String,
    /// Key number on Windows.
    pub number: u32,
    /// Text that the key types, if any.
    pub text: Option<String>,
}

/// Printable keys except letters and digits: the characters without and with Shift, the code, and
/// the key number.
const PRINTABLE: [(char, char, &str, u32); 12] = [
    (' ', ' ', "Space", 32),
    (';', ':', "Semicolon", 186),
    ('=', '+', "Equal", 187),
    (',', '<', "Comma", 188),
    ('-', '_', "Minus", 189),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
    ('[', '{', "BracketLeft", 219),
    ('\\', '|', "Backslash", 220),
    (']', '}', "BracketRight", 221),
    ('\'', '"', "Quote", 222),
];

/// Characters of the digit keys with Shift, starting with the key 0.
const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

/// Named keys: the name, the code if it differs from the name, and the key number. Only Enter types
/// text.
const NAMED: [(&str, &str, u32); 37] = [
    ("Cancel", "Abort", 3),
    ("Help", "", 6),
    ("Backspace", "", 8),
    ("Tab", "", 9),
    ("Clear", "NumpadClear", 12),
    ("Enter", "", 13),
    ("Shift", "ShiftLeft", 16),
    ("Control", "ControlLeft", 17),
    ("Alt", "AltLeft", 18),
    ("Pause", "", 19),
    ("CapsLock", "", 20),
    ("Escape", "", 27),
    ("Convert", "", 28),
    ("NonConvert", "", 29),
    ("PageUp", "", 33),
    ("PageDown", "", 34),
    ("End", "", 35),
    ("Home", "", 36),
    ("ArrowLeft", "", 37),
    ("ArrowUp", "", 38),
    ("ArrowRight", "", 39),
    ("ArrowDown", "", 40),
    ("Select", "", 41),
    ("PrintScreen", "", 44),
    ("Insert", "", 45),
    ("Delete", "", 46),
    ("Meta", "MetaLeft", 91),
    ("ContextMenu", "", 93),
    ("NumLock", "", 144),
    ("ScrollLock", "", 145),
    ("AudioVolumeMute", "", 173),
    ("AudioVolumeDown", "", 174),
    ("AudioVolumeUp", "", 175),
    ("MediaTrackNext", "", 176),
    ("MediaTrackPrevious", "", 177),
    ("MediaStop", "", 178),
    ("MediaPlayPause", "", 179),
];

/// Returns the key that produces this key value, such as `a`, `A`, `?`, `Enter` or `F5`.
pub(crate) fn key(value: &str) -> Option<Key> {
    let mut letters = value.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return printable(letter);
    }
    let number = value.strip_prefix('F').and_then(|rest| rest.parse().ok());
    if let Some(number @ 1..=24) = number
        && value == format!("F{number}")
    {
        return Some(Key {
            code: value.to_owned(),
            number: 111 + number,
            text: None,
        });
    }
    let (name, code, number) = NAMED.into_iter().find(|(name, _, _)| *name == value)?;
    Some(Key {
        code: if code.is_empty() { name } else { code }.to_owned(),
        number,
        text: (name == "Enter").then(|| "\r".to_owned()),
    })
}

fn printable(letter: char) -> Option<Key> {
    let (code, number) = if letter.is_ascii_alphabetic() {
        let capital = letter.to_ascii_uppercase();
        (format!("Key{capital}"), capital.into())
    } else if let Some(digit) = letter.to_digit(10).or_else(|| {
        SHIFTED_DIGITS
            .chars()
            .position(|shifted| shifted == letter)?
            .try_into()
            .ok()
    }) {
        (format!("Digit{digit}"), 48 + digit)
    } else {
        let mut all = PRINTABLE.into_iter();
        let (_, _, code, number) =
            all.find(|(plain, shifted, ..)| [*plain, *shifted].contains(&letter))?;
        (code.to_owned(), number)
    };
    Some(Key {
        code,
        number,
        text: Some(letter.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::{Key, key};

    #[test]
    fn finds_code_number_and_text_of_keys() {
        let rows = [
            ("a", Some(("KeyA", 65, Some("a")))),
            ("Z", Some(("KeyZ", 90, Some("Z")))),
            ("0", Some(("Digit0", 48, Some("0")))),
            (")", Some(("Digit0", 48, Some(")")))),
            ("*", Some(("Digit8", 56, Some("*")))),
            ("(", Some(("Digit9", 57, Some("(")))),
            ("+", Some(("Equal", 187, Some("+")))),
            ("\"", Some(("Quote", 222, Some("\"")))),
            ("\\", Some(("Backslash", 220, Some("\\")))),
            (" ", Some(("Space", 32, Some(" ")))),
            ("Enter", Some(("Enter", 13, Some("\r")))),
            ("Tab", Some(("Tab", 9, None))),
            ("ArrowDown", Some(("ArrowDown", 40, None))),
            ("Shift", Some(("ShiftLeft", 16, None))),
            ("F1", Some(("F1", 112, None))),
            ("F24", Some(("F24", 135, None))),
            ("F25", None),
            ("F0", None),
            ("F+1", None),
            ("F01", None),
            ("ü", None),
            ("", None),
            ("enter", None),
        ];
        for (value, expected) in rows {
            let expected = expected.map(|(code, number, text)| Key {
                code: code.to_owned(),
                number,
                text: text.map(str::to_owned),
            });
            assert_eq!(key(value), expected, "{value}");
        }
    }
}
