//! Mouse and keyboard events of the `DevTools` protocol.

use crate::devtools::{DispatchKeyEvent, DispatchMouseEvent};
use crate::error::{Error, Result};
use crate::keys;

/// Modifier bit of the Shift key.
const SHIFT: u32 = 8;

/// Returns the events of one left click, in order.
pub(crate) fn click(x: f64, y: f64) -> [DispatchMouseEvent; 3] {
    let at = |kind, buttons, clicks| DispatchMouseEvent {
        r#type: kind,
        x,
        y,
        button: if clicks == 0 { "none" } else { "left" },
        buttons,
        click_count: clicks,
    };
    [
        at("mouseMoved", 0, 0),
        at("mousePressed", 1, 1),
        at("mouseReleased", 0, 1),
    ]
}

/// Returns the events of a key such as `Enter` or `Control+a`, in order.
pub(crate) fn press(key: &str) -> Result<[DispatchKeyEvent; 2]> {
    let unknown = || Error::UnknownKey(key.chars().take(40).collect());
    let mut names: Vec<&str> = if key == "+" {
        vec!["+"]
    } else {
        key.split('+').collect()
    };
    let name = names.pop().ok_or_else(unknown)?;
    let mut modifiers = 0;
    for modifier in names {
        modifiers |= match modifier {
            "Alt" => 1,
            "Control" => 2,
            "Meta" => 4,
            "Shift" => SHIFT,
            _ => return Err(unknown()),
        };
    }
    let name = if name == "Space" { " " } else { name };
    let known = keys::key(name).ok_or_else(unknown)?;
    // With Control, Alt or Meta pressed, a key does not type text.
    let types = modifiers == 0 || modifiers == SHIFT;
    let text = known.text.filter(|_| types);
    let event = |kind, text| DispatchKeyEvent {
        r#type: kind,
        modifiers,
        key: name.to_owned(),
        code: known.code.clone(),
        windows_virtual_key_code: known.number,
        text,
    };
    let down = if text.is_some() {
        "keyDown"
    } else {
        "rawKeyDown"
    };
    Ok([event(down, text), event("keyUp", None)])
}
