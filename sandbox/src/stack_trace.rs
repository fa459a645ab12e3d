//! Extracts the frames of an error's stack trace that belong to the model's own cells.

/// Maximum number of frames shown.
const SHOWN: usize = 8;

/// Returns `at f (cell 3:12)` for each frame in a cell, innermost first. Rewriting preserves lines
/// but not columns, so columns are omitted.
pub(crate) fn frames(stack: &str) -> Vec<String> {
    stack.lines().filter_map(frame).take(SHOWN).collect()
}

fn frame(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("at ")?;
    let (name, place) = match rest.split_once(" (cell ") {
        Some((name, place)) => (name, place),
        None => ("", rest.strip_prefix("cell ")?),
    };
    let mut numbers = place.trim_end_matches(')').split(':');
    let (cell, line) = (numbers.next()?, numbers.next()?);
    let anonymous = name.is_empty() || name.contains("<anonymous>");
    Some(if anonymous {
        format!("at cell {cell}:{line}")
    } else {
        format!("at {name} (cell {cell}:{line})")
    })
}

#[cfg(test)]
mod tests {
    use super::frames;

    #[test]
    fn shows_only_frames_in_cells() {
        let stack = "TypeError: x\n    at f (cell 3:12:4)\n    at <anonymous> (cell 3:1:2)\n    at cell 2:1:9\n    at native\n    at g (agents.js:1:2)";
        assert_eq!(
            frames(stack),
            ["at f (cell 3:12)", "at cell 3:1", "at cell 2:1"]
        );
        assert_eq!(frames(""), [""; 0]);
    }
}
