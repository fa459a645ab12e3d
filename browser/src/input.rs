//! Mouse and keyboard as the `DevTools` protocol takes them.

use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    MouseButton,
};
use chromiumoxide::keys;

use crate::error::{Error, Result};

/// The bit of the Shift key among the modifiers.
const SHIFT: i64 = 8;

/// The events of one left click, in order.
pub(crate) fn click(x: f64, y: f64) -> [DispatchMouseEventParams; 3] {
    let at = |kind, buttons, clicks| {
        let mut event = DispatchMouseEventParams::new(kind, x, y);
        event.buttons = Some(buttons);
        event.click_count = Some(clicks);
        event.button = Some(if clicks == 0 {
            MouseButton::None
        } else {
            MouseButton::Left
        });
        event
    };
    [
        at(DispatchMouseEventType::MouseMoved, 0, 0),
        at(DispatchMouseEventType::MousePressed, 1, 1),
        at(DispatchMouseEventType::MouseReleased, 0, 1),
    ]
}

/// The events of a key such as `Enter` or `Control+a`, in order.
pub(crate) fn press(key: &str) -> Result<[DispatchKeyEventParams; 2]> {
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
    let known = keys::get_key_definition(name).ok_or_else(unknown)?;
    // With Control, Alt or Meta held, a key types nothing.
    let printable = (known.key.chars().count() == 1).then_some(known.key);
    let types = modifiers == 0 || modifiers == SHIFT;
    let text = known.text.or(printable).filter(|_| types);
    let event = |kind, text: Option<&str>| {
        let mut event = DispatchKeyEventParams::new(kind);
        event.modifiers = Some(modifiers);
        event.key = Some(known.key.to_owned());
        event.code = Some(known.code.to_owned());
        event.windows_virtual_key_code = Some(known.key_code);
        event.text = text.map(str::to_owned);
        event
    };
    let down = if text.is_some() {
        DispatchKeyEventType::KeyDown
    } else {
        DispatchKeyEventType::RawKeyDown
    };
    Ok([event(down, text), event(DispatchKeyEventType::KeyUp, None)])
}
