//! Finds the code blocks in a model's response.
//!
//! The parser tolerates common mistakes of models. It finds every block that is clearly meant to be
//! run, and does not end a block within its code. A fence is three or more backticks or tildes.
//!
//! - A fence opens a block if a word follows. Other text may follow the word: `js title="x"`,
//!   `js {1,3}`, `{.js}`.
//! - A fence closes a block if it uses the character of the opening fence, is at least as long, and
//!   is followed by nothing or by prose (`` ``` Done.``). A shorter fence closes a block that no
//!   other fence closes.
//! - A fence at the end of a line of code also closes the block (`` f(x)``` ``), because the line
//!   with the fence is not valid JavaScript. In a comment, it does so only if no other fence closes
//!   the block.
//! - An opening fence in a block ends the unclosed block, except in a block of Markdown, which may
//!   contain blocks.
//! - A fence in a template literal of the code closes the block only if no other fence does.
//! - Text before `</think>` is reasoning. Blocks in it count only if the answer contains none.

mod watch;

use crate::text::js_scan::{Ending, JsScan};
pub(crate) use watch::StopWatch;

/// Language tags (first words of info strings) of blocks that are run.
const LANGUAGES: [&str; 11] = [
    "javascript",
    "js",
    "repl",
    "typescript",
    "ts",
    "tsx",
    "jsx",
    "node",
    "mjs",
    "cjs",
    "mts",
];
/// Language tags of blocks that may contain other blocks.
const MARKDOWN: [&str; 2] = ["markdown", "md"];
/// Closing tags of reasoning that a model's server left in the response.
const REASONING_END_TAGS: [&str; 3] = ["</think>", "</thinking>", "</thought>"];

/// Returns the code blocks of a response, in order, without their fences. Blank blocks are omitted.
/// If several of these kinds occur, only the blocks of the first kind are returned:
///
/// 1. Blocks with a language tag for JavaScript or TypeScript, or `repl` (any case).
/// 2. Blocks without a language tag.
/// 3. A block whose opening fence, with a language tag, is at the end of a line of prose.
/// 4. The text before a single closing fence.
///
/// An unclosed block extends to the end of the response. The time is linear in the response's
/// length.
pub fn code_blocks(response: &str) -> Vec<String> {
    if let Some(answer) = text_after_reasoning(response) {
        let blocks = blocks_in(answer);
        if !blocks.is_empty() {
            return blocks;
        }
    }
    blocks_in(response)
}

/// Returns the first tag of a language that the REPL cannot run, such as `python`.
pub fn foreign_language(response: &str) -> Option<&str> {
    const FOREIGN: [&str; 12] = [
        "python", "python3", "py", "ipython", "bash", "sh", "shell", "ruby", "r", "julia", "rust",
        "go",
    ];
    let mut marks = response
        .lines()
        .filter_map(|line| fence(line).filter(|fence| !fence.with_prose))
        .map(|fence| fence.mark);
    marks.find(|mark| FOREIGN.iter().any(|known| mark.eq_ignore_ascii_case(known)))
}

fn blocks_in(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for accepts in [is_language, str::is_empty as fn(&str) -> bool] {
        let blocks = blocks_marked(&lines, accepts);
        if !blocks.is_empty() {
            return blocks;
        }
    }
    opened_in_prose(&lines)
        .or_else(|| before_lone_fence(&lines))
        .into_iter()
        .collect()
}

/// Returns the text after the reasoning at the beginning of the response, even if the server
/// removed the opening tag. Later tags belong to the answer.
fn text_after_reasoning(response: &str) -> Option<&str> {
    let begins_thinking = begins_with_thinking(response);
    let (mut at, mut answer) = (0, None);
    for line in response.split_inclusive('\n') {
        let mut begins_block = fence(line).is_some();
        for tag in REASONING_END_TAGS {
            let Some(start) = line.to_ascii_lowercase().find(tag) else {
                continue;
            };
            let rest = &line[start + tag.len()..];
            let stands_apart =
                line[..start].trim().is_empty() || rest.trim().is_empty() || fence(rest).is_some();
            if stands_apart {
                answer = Some(&response[at + start + tag.len()..]);
                begins_block |= fence(rest).is_some();
            }
        }
        at += line.len();
        let over = if begins_thinking {
            answer.is_some()
        } else {
            begins_block
        };
        if over {
            break;
        }
    }
    answer
}

fn begins_with_thinking(response: &str) -> bool {
    let begins = |tag: &&str| starts_with(response.trim_start(), &tag.replace('/', ""));
    REASONING_END_TAGS.iter().any(begins)
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn is_language(mark: &str) -> bool {
    LANGUAGES
        .iter()
        .any(|language| mark.eq_ignore_ascii_case(language))
}

fn is_markdown(mark: &str) -> bool {
    MARKDOWN
        .iter()
        .any(|language| mark.eq_ignore_ascii_case(language))
}

fn blocks_marked(lines: &[&str], accepts: fn(&str) -> bool) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut at = 0;
    let mut lookahead = lines.len() * LOOKAHEAD;
    // A single fence without a language tag must be a closing fence.
    let lone = lines.iter().filter(|line| fence(line).is_some()).count() < 2;
    if lone && accepts("") {
        return blocks;
    }
    while at < lines.len() {
        let Some(block) = block_at(lines, at, accepts, &mut lookahead) else {
            at += 1;
            continue;
        };
        blocks.extend(block.code);
        at = block.next;
    }
    blocks
}

/// A block, whether or not it is run.
struct Block {
    /// Code, if the block is run and not blank.
    code: Option<String>,
    /// Index of the line at which to continue.
    next: usize,
    certain: bool,
}

/// Returns the block that opens in line `at`, if any.
fn block_at(
    lines: &[&str],
    at: usize,
    accepts: fn(&str) -> bool,
    lookahead: &mut usize,
) -> Option<Block> {
    if let Some(code) = on_one_line(lines[at]) {
        return Some(Block {
            code: accepts("js").then(|| code.to_owned()),
            next: at + 1,
            certain: true,
        });
    }
    let opening = fence(lines[at]).filter(|fence| !fence.with_prose)?;
    let runs = accepts(opening.mark);
    let below = &lines[at + 1..];
    let end = if runs {
        end_of_code(below, &opening, lookahead)
    } else {
        end_of_text(below, &opening)
    };
    Some(Block {
        code: end.code(below).filter(|_| runs),
        next: at + 1 + end.next,
        certain: end.certain,
    })
}

/// Returns the code of a block that opens and closes on one line.
fn on_one_line(line: &str) -> Option<&str> {
    let info = line.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (mark, code) = info.split_once(char::is_whitespace)?;
    (is_language(mark) && !code.trim().is_empty() && !code.contains("```")).then(|| code.trim())
}

/// Maximum number of passes over the response in search of closing fences. Without a limit,
/// thousands of blocks with unclosed template literals would each be searched to the end of the
/// response.
const LOOKAHEAD: usize = 8;

/// End of a block, relative to the line below its opening fence.
#[derive(Clone, Copy)]
struct End<'a> {
    /// Number of complete lines in the block.
    lines: usize,
    /// Text before the closing fence on the same line.
    rest: &'a str,
    /// Index of the line at which to continue.
    next: usize,
    /// Whether the block is closed and no later line can change its end.
    certain: bool,
}

impl End<'_> {
    /// Creates the end at a closing fence in line `index`.
    fn before(index: usize) -> Self {
        Self {
            lines: index,
            rest: "",
            next: index + 1,
            certain: true,
        }
    }

    /// Creates the end before a fence in line `index` that opens another block.
    fn at_opening(index: usize) -> Self {
        Self {
            lines: index,
            rest: "",
            next: index,
            certain: false,
        }
    }

    /// Creates an uncertain end: `best`, or else the end of the response.
    fn uncertain_end(best: Option<Self>, lines: usize) -> Self {
        let certain = false;
        let end = best.unwrap_or(Self {
            lines,
            rest: "",
            next: lines,
            certain,
        });
        Self { certain, ..end }
    }

    /// Returns the code of the block, or `None` if it is blank.
    fn code(&self, below: &[&str]) -> Option<String> {
        let code = below[..self.lines].concat() + self.rest;
        (!code.trim().is_empty()).then(|| code.trim_end().to_owned())
    }
}

/// Returns the end of a block that is run. A fence inside a template literal closes the block only
/// if no other fence does within the next `lookahead` lines.
fn end_of_code<'a>(lines: &[&'a str], opening: &Fence<'_>, lookahead: &mut usize) -> End<'a> {
    let mut in_template = None;
    let mut last_resort = None;
    let mut scan = JsScan::default();
    for (index, line) in lines.iter().enumerate() {
        if in_template.is_some() {
            if *lookahead == 0 {
                break;
            }
            *lookahead -= 1;
        }
        match fence(line).filter(|fence| fence.sign == opening.sign) {
            Some(fence) if fence.length < opening.length => {
                if fence.mark.is_empty() && !scan.in_template() {
                    last_resort.get_or_insert(End::before(index));
                }
                continue;
            }
            Some(fence) if !scan.in_template() => {
                return if fence.closes() {
                    End::before(index)
                } else {
                    End::at_opening(index)
                };
            }
            Some(fence) => {
                if fence.closes() {
                    in_template.get_or_insert(End::before(index));
                }
                continue;
            }
            None => {}
        }
        if let Some((end, ending)) = closed_at_end_of_line(index, line, opening, &scan) {
            match ending {
                Ending::Code => return end,
                Ending::Comment => drop(last_resort.get_or_insert(end)),
                Ending::Text => {}
            }
        }
        scan.line(line);
    }
    End::uncertain_end(in_template.or(last_resort), lines.len())
}

/// Finds a closing fence at the end of a line of code, and the construct in which the code before
/// the fence ends.
fn closed_at_end_of_line<'a>(
    index: usize,
    line: &'a str,
    opening: &Fence<'_>,
    scan: &JsScan,
) -> Option<(End<'a>, Ending)> {
    let mut code = line.trim_end();
    for _ in 0..opening.length {
        code = code.strip_suffix(opening.sign)?;
    }
    if code.trim().is_empty() {
        return None;
    }
    let end = End {
        lines: index,
        rest: code,
        next: index + 1,
        certain: true,
    };
    Some((end, scan.clone().line(code)))
}

/// Returns the end of a block that is not run.
fn end_of_text<'a>(lines: &[&'a str], opening: &Fence<'_>) -> End<'a> {
    let mut first = None;
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate() {
        let Some(fence) = fence(line).filter(|fence| fence.could_close(opening)) else {
            continue;
        };
        if fence.closes() {
            first.get_or_insert(End::before(index));
            if depth == 0 {
                return End::before(index);
            }
            depth -= 1;
        } else if is_markdown(opening.mark) {
            depth += 1;
        } else if is_language(fence.mark) {
            return End::at_opening(index);
        }
    }
    End::uncertain_end(first, lines.len())
}

/// A line that consists of a fence and an info string.
struct Fence<'a> {
    sign: char,
    length: usize,
    /// Language tag: the first word after the fence; empty without one.
    mark: &'a str,
    /// Whether the fence is followed by prose instead of a language tag.
    with_prose: bool,
}

impl Fence<'_> {
    fn closes(&self) -> bool {
        self.mark.is_empty() || self.with_prose
    }

    fn could_close(&self, opening: &Fence<'_>) -> bool {
        self.sign == opening.sign && self.length >= opening.length
    }
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let line = line.trim();
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let info = line.trim_start_matches(sign);
    let length = line.len() - info.len();
    if length < 3 || info.contains('`') {
        return None;
    }
    let words = info.trim();
    let mark = language(words);
    let glued = info == words || words.starts_with('{');
    let several = words.contains(char::is_whitespace);
    Some(Fence {
        sign,
        length,
        mark,
        with_prose: several && !glued && !is_language(mark),
    })
}

/// Returns the language at the beginning of an info string.
fn language(info: &str) -> &str {
    let info = info.trim_start_matches(['{', '.', ' ']);
    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',' | ':' | '=');
    info.split(ends).next().unwrap_or_default()
}

/// Returns the code below a line of prose that ends in an opening fence.
fn opened_in_prose(lines: &[&str]) -> Option<String> {
    let opens = |line: &&str| {
        let (prose, info) = line.rsplit_once("```").unwrap_or_default();
        !prose.trim().is_empty() && !prose.ends_with('`') && is_language(info.trim())
    };
    let at = lines.iter().position(opens)?;
    let opening = Fence {
        sign: '`',
        length: 3,
        mark: "js",
        with_prose: false,
    };
    let below = &lines[at + 1..];
    end_of_code(below, &opening, &mut below.len()).code(below)
}

fn before_lone_fence(lines: &[&str]) -> Option<String> {
    let mut fences = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, fence(line)?)));
    let (at, only) = fences.next()?;
    if !only.closes() || fences.next().is_some() {
        return None;
    }
    let code = lines[..at].concat();
    let code = match code.split_once('\n') {
        Some((first, rest)) if is_language(first.trim()) => rest,
        _ => &code,
    };
    (!code.trim().is_empty()).then(|| code.trim().to_owned())
}

#[cfg(test)]
mod tests;
