//! The subset of GitHub's expressions that the workflow uses: names, strings, `[…]`, `!`, `==`,
//! `!=`, `&&` and `||`, without parentheses around operators. All values are strings; the empty
//! string counts as false.

/// Evaluates an expression. `lookup` returns the value of a name or of a function.
pub fn evaluate(expression: &str, lookup: &dyn Fn(&str) -> String) -> String {
    let expression = expression.trim();
    if let Some((left, right)) = expression.rsplit_once("||") {
        let left = evaluate(left, lookup);
        return if left.is_empty() {
            evaluate(right, lookup)
        } else {
            left
        };
    }
    if let Some((left, right)) = expression.rsplit_once("&&") {
        let left = evaluate(left, lookup);
        return if left.is_empty() {
            left
        } else {
            evaluate(right, lookup)
        };
    }
    for (operator, wanted) in [("==", true), ("!=", false)] {
        if let Some((left, right)) = expression.split_once(operator) {
            let is_equal = evaluate(left, lookup) == evaluate(right, lookup);
            return format_bool(is_equal == wanted);
        }
    }
    if let Some(negated) = expression.strip_prefix('!') {
        return format_bool(evaluate(negated, lookup).is_empty());
    }
    if let Some(text) = expression.strip_prefix('\'') {
        return text.strip_suffix('\'').unwrap().to_owned();
    }
    if let Some((object, member)) = expression.split_once('[') {
        let member = evaluate(member.strip_suffix(']').unwrap(), lookup);
        return lookup(&format!("{object}.{member}"));
    }
    lookup(expression)
}

/// Returns `true` as the string `true`, and `false` as an empty string.
pub fn format_bool(value: bool) -> String {
    if value { "true" } else { "" }.to_owned()
}
