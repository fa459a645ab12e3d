//! Recognizes Python in a cell that is not valid JavaScript.

/// Whether a line of the code is Python and cannot be JavaScript.
pub(super) fn is_likely(source: &str) -> bool {
    source.lines().any(|line| is_python(line.trim()))
}

fn is_python(line: &str) -> bool {
    let opens_block = line.ends_with(':') && !line.contains('{');
    let first = line.split([' ', ':', '(']).next().unwrap_or_default();
    let block = matches!(
        first,
        "def" | "if" | "elif" | "else" | "for" | "while" | "try" | "except" | "finally" | "with"
    );
    let comment = line.starts_with("# ");
    let module = |keyword: &str| line.strip_prefix(keyword).is_some_and(is_module_name);
    let import = module("import ")
        || line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
            .is_some_and(|(module, _)| is_module_name(module));
    (opens_block && block)
        || comment
        || import
        || (line.contains("print(f\"") && !line.contains('`'))
}

fn is_module_name(text: &str) -> bool {
    let text = text.split(" as ").next().unwrap_or_default();
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | ' '))
}
