//! Watches a growing response for the end of the last block that is run.

use super::{LOOKAHEAD, begins_with_thinking, behind_thinking, block_at, fence, is_language};

/// Detects the end of the last block that is run in a growing response.
pub(crate) struct StopWatch {
    blocks: usize,
    scanned: usize,
    looks: u32,
}

/// Maximum searches for the last block. Each search begins at the start of the response, so a
/// response that closes more fences than this is read to its end.
const LOOKS: u32 = 64;

impl StopWatch {
    /// Watches for `blocks` marked blocks; at least 1.
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks,
            scanned: 0,
            looks: 0,
        }
    }

    /// Takes the whole text so far. Returns where the last block ends in it, once that is certain.
    pub fn end_of_last_block(&mut self, text: &str) -> Option<usize> {
        let end = text.rfind('\n')? + 1;
        let new = text.get(self.scanned..end).unwrap_or_default();
        self.scanned = end.max(self.scanned);
        let closes = |line: &str| line.trim_end().ends_with(['`', '~']) || fence(line).is_some();
        if self.looks >= LOOKS || !new.lines().any(closes) {
            return None;
        }
        self.looks += 1;
        end_of_block(&text[..end], self.blocks)
    }
}

/// Returns the byte where the `count`-th marked block ends, including its closing fence. `None`
/// unless it is certainly closed, so that [`code_blocks`] finds the same first `count` blocks
/// whatever follows. The last line counts only with its line feed.
fn end_of_block(response: &str, count: usize) -> Option<usize> {
    let answer = behind_thinking(response);
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
