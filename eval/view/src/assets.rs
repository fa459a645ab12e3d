//! The viewer's HTML page, stylesheets and scripts, compiled into the program.

use std::fmt::Write as _;
use std::sync::LazyLock;

const PAGE: &str = include_str!("assets/index.html");

/// Returns the page with `head` inserted before its title and `tail` at the end of its body.
pub fn page(head: &str, tail: &str) -> String {
    PAGE.replacen("<title>", &format!("{head}<title>"), 1)
        .replacen("</body>", &format!("{tail}</body>"), 1)
}

/// Expands to pairs of a file name and the file's content.
macro_rules! files {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("assets/", $name)))),*]
    };
}

/// Stylesheets in the order in which the page applies them.
const STYLES: &[(&str, &str)] = files![
    "base.css",
    "tables.css",
    "failures.css",
    "search.css",
    "sample.css",
    "inside.css"
];

/// ES modules, each listed after the modules that it imports.
const SCRIPTS: &[(&str, &str)] = files![
    "controls.js",
    "dom.js",
    "format.js",
    "ansi.js",
    "copy.js",
    "markdown.js",
    "written.js",
    "scorers.js",
    "api.js",
    "route.js",
    "keys.js",
    "theme.js",
    "plots.js",
    "badges.js",
    "table.js",
    "highlight.js",
    "highlight-html.js",
    "grid.js",
    "long-text.js",
    "image.js",
    "said.js",
    "response.js",
    "json-action.js",
    "web.js",
    "iteration.js",
    "iterations.js",
    "input.js",
    "timeline.js",
    "outline.js",
    "film-strip.js",
    "spending.js",
    "prompt.js",
    "diff.js",
    "program.js",
    "filter-help.js",
    "samples.js",
    "failures.js",
    "runs-view.js",
    "search-view.js",
    "compare-view.js",
    "workers.js",
    "run-view.js",
    "sample-view.js",
    "pair-view.js",
    "main.js"
];

pub static STYLE: LazyLock<String> =
    LazyLock::new(|| STYLES.iter().map(|(_, style)| *style).collect());

/// All scripts, bundled into one: a browser that follows a chain of imports needs several
/// sequential requests.
pub static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let modules = SCRIPTS.iter().map(|(name, text)| module(name, text));
    modules.collect()
});

/// Converts a module to an immediately invoked function that returns the module's exports.
///
/// Each `export` must begin a line. Each import must be a single line that lists the imported
/// names.
fn module(name: &str, text: &str) -> String {
    let mut body = String::new();
    let mut exports = Vec::new();
    for line in text.lines() {
        let line = match line.strip_prefix("export ") {
            None => line,
            Some(line) => {
                exports.extend(declared(line));
                line
            }
        };
        // Formatting into a string cannot fail.
        let _ = match imported(line) {
            None => writeln!(body, "{line}"),
            Some((names, from)) => writeln!(body, "const {names} = {};", variable(from)),
        };
    }
    let exports = exports.join(", ");
    format!(
        "const {} = (() => {{\n{body}return {{ {exports} }};\n}})();\n",
        variable(name)
    )
}

/// Returns the name declared by `const NAME = …` or `async function NAME(…) …`.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find(|word| !["async", "function", "const"].contains(word))
}

/// Parses `import { NAMES } from "./FILE";` and returns `{ NAMES }` and `FILE`.
fn imported(line: &str) -> Option<(&str, &str)> {
    let (names, from) = line.strip_prefix("import ")?.split_once(" from \"./")?;
    Some((names, from.strip_suffix("\";")?))
}

/// Returns the name of the variable that holds a file's exports.
fn variable(file: &str) -> String {
    let stem = file.strip_suffix(".js").unwrap_or(file);
    format!("module_{}", stem.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, SCRIPTS, STYLE, imported, module};

    #[test]
    fn converts_module_to_function() {
        let text = "import { a, b } from \"./other-one.js\";\n\n/** Doc. */\nexport const two = a + b;\n\
            export async function run() {}\nexport function go() {}\nconst own = 1;\n";
        let wanted = "const module_x = (() => {\nconst { a, b } = module_other_one;\n\n/** Doc. */\nconst two = a + b;\n\
            async function run() {}\nfunction go() {}\nconst own = 1;\nreturn { two, run, go };\n})();\n";
        assert_eq!(module("x.js", text), wanted);
    }

    #[test]
    fn files_contain_no_tags_that_end_their_element() {
        for text in [&*STYLE, &*SCRIPT] {
            for mark in ["<!--", "</script", "<script", "</style", "</body"] {
                assert!(!text.contains(mark), "{mark}");
            }
        }
    }

    #[test]
    fn modules_follow_their_imports() {
        for (place, (name, text)) in SCRIPTS.iter().enumerate() {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let (_, from) = imported(line).unwrap_or_else(|| panic!("{name}: {line}"));
                let above = SCRIPTS[..place].iter().any(|(above, _)| *above == from);
                assert!(above, "{name} imports {from}, which must precede it");
            }
        }
    }
}
