//! Stops streamed responses early, after the last code block that will be run.

use super::{LOOKAHEAD, begins_with_thinking, block_at, fence, is_language, text_after_reasoning};

/// Detects, in a streaming response, the end of the last code block to run.
pub(crate) struct StopWatch {
    blocks: usize,
    scanned: usize,
    looks: u32,
}

/// Maximum number of searches for the last block. Each search begins at the start of the response.
/// Responses with more closing fences are read to their end.
const MAX_SEARCHES: u32 = 64;

impl StopWatch {
    /// Creates a watch for the end of the `blocks`-th block with a language tag, 1-based.
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks,
            scanned: 0,
            looks: 0,
        }
    }

    /// Returns the byte position of the last block's end once it is certain. `text` is the whole
    /// response so far.
    pub fn end_of_last_block(&mut self, text: &str) -> Option<usize> {
        let end = text.rfind('\n')? + 1;
        let new = text.get(self.scanned..end).unwrap_or_default();
        self.scanned = end.max(self.scanned);
        let closes = |line: &str| line.trim_end().ends_with(['`', '~']) || fence(line).is_some();
        if self.looks >= MAX_SEARCHES || !new.lines().any(closes) {
            return None;
        }
        self.looks += 1;
        end_of_block(&text[..end], self.blocks)
    }
}

/// Returns the byte position after the `count`-th block with a language tag, including its closing
/// fence. Returns `None` unless the end is certain, so that later text cannot change the first
/// `count` blocks that [`code_blocks`] finds. Ignores an incomplete last line.
fn end_of_block(response: &str, count: usize) -> Option<usize> {
    let answer = text_after_reasoning(response);
    if answer.is_none() && begins_with_thinking(response) {
        return None;
    }
    let answer = answer.unwrap_or(response);
    let lines: Vec<&str> = answer.split_inclusive('\n').collect();
    let mut lookahead = lines.len() * LOOKAHEAD;
    let mut found = 0;
    let mut at = 0;
    while at < lines.len() {
        let Some(block) = block_at(&lines, at, is_language, &mut lookahead) else {
            at += 1;
            continue;
        };
        if !block.certain || !lines[block.next - 1].ends_with('\n') {
            return None;
        }
        found += usize::from(block.code.is_some());
        if found == count {
            let before = response.len() - answer.len();
            return Some(
                before
                    + lines[..block.next]
                        .iter()
                        .map(|line| line.len())
                        .sum::<usize>(),
            );
        }
        at = block.next;
    }
    None
}
