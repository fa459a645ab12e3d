//! Decoding of JSON strings with arbitrary UTF-16 code units, as a whole and in pieces (as streams
//! deliver them).

use harness::model::{ToolCall, lenient_json};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use serde_json::Value;

/// Generates UTF-16 code units. Many are surrogates, and some are the character (U+FDD0) with which
/// `lenient_json` marks surrogates.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        0xd800_u16..=0xdfff,
        Just(0xd83d),
        Just(0xde80),
        Just(0xfdd0),
        any::<u16>(),
        0x20_u16..0x7f,
    ];
    vec(unit, 0..24)
}

/// Formats a JSON string. `styles` selects for each code unit a lowercase escape, an uppercase
/// escape, or a plain character if possible.
fn json(units: &[u16], styles: &[u8]) -> String {
    let mut json = String::from("\"");
    for (unit, style) in units.iter().zip(styles.iter().cycle()) {
        let plain = char::from_u32(u32::from(*unit));
        match (style % 3, plain) {
            (0, Some(plain)) if !plain.is_control() && !matches!(plain, '"' | '\\') => {
                json.push(plain);
            }
            (1, _) => json += &format!("\\u{unit:04x}"),
            _ => json += &format!("\\u{unit:04X}"),
        }
    }
    json + "\""
}

proptest! {
    #[test]
    fn decodes_any_string(units in units(), styles in vec(any::<u8>(), 1..8), cuts in vec(any::<usize>(), 0..5)) {
        let wanted = String::from_utf16_lossy(&units);
        let whole = json(&units, &styles);
        let got: String = lenient_json::from_str(&whole).unwrap();
        prop_assert_eq!(&got, &wanted);
        let valid = lenient_json::valid(&whole);
        prop_assert_eq!(&serde_json::from_str::<String>(&valid).unwrap(), &wanted);

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (units.len() + 1)).collect();
        cuts.extend([0, units.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|ends| {
            let piece = lenient_json::piece(&json(&units[ends[0]..ends[1]], &styles)).unwrap();
            piece.as_str().unwrap().to_owned()
        });
        let joined = lenient_json::join(Value::String(pieces.collect()));
        prop_assert_eq!(joined, Value::from(wanted.clone()));

        let call = ToolCall {
            id: "c".to_owned(),
            name: "f".to_owned(),
            arguments: format!("{{\"{}\": {whole}}}", r"\ud83d"),
        };
        let input = call.input();
        prop_assert_eq!(input.get("\u{fffd}"), Some(&Value::from(wanted)));
    }

    #[test]
    fn leaves_text_without_surrogates_unchanged(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(&lenient_json::valid(&json), &json);
        prop_assert_eq!(lenient_json::join(lenient_json::piece(&json).unwrap()), Value::from(text));
    }
}
