//! A terminal screen in memory.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io;
use std::sync::{Arc, Mutex};

use indicatif::TermLike;

/// A fixed-size screen that cannot scroll: writing below its last line is a bug in the writer.
#[derive(Debug, Clone)]
pub struct Screen {
    width: u16,
    height: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// Maximum number of lines shown so far.
    highest: usize,
}

impl Screen {
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            width,
            height,
            state: Arc::default(),
        }
    }

    /// Returns the nonempty lines without trailing spaces.
    pub fn lines(&self) -> Vec<String> {
        self.state.lock().unwrap().shown()
    }

    pub fn highest(&self) -> usize {
        self.state.lock().unwrap().highest
    }

    fn with(&self, change: impl FnOnce(&mut State)) -> io::Result<()> {
        let mut state = self.state.lock().map_err(|_| io::ErrorKind::Other)?;
        change(&mut state);
        Ok(())
    }
}

impl State {
    fn shown(&self) -> Vec<String> {
        let lines = self
            .lines
            .iter()
            .map(|line| line.iter().collect::<String>());
        lines
            .map(|line| line.trim_end().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    }

    fn put(&mut self, character: char, width: usize) {
        match character {
            '\r' => self.column = 0,
            '\n' => (self.row, self.column) = (self.row + 1, 0),
            character => {
                // Ideographs, the only wide characters in these tests, occupy a second cell, which
                // stays empty here.
                let cells = if ('\u{3000}'..'\u{e000}').contains(&character) {
                    2
                } else {
                    1
                };
                if self.column + cells > width {
                    (self.row, self.column) = (self.row + 1, 0);
                }
                while self.lines.len() <= self.row {
                    self.lines.push(vec![' '; width]);
                }
                self.lines[self.row][self.column] = character;
                self.column += cells;
            }
        }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        self.width
    }

    fn height(&self) -> u16 {
        self.height
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.with(|state| state.row = state.row.saturating_sub(n))
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.with(|state| state.row += n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.with(|state| state.column += n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.with(|state| state.column = state.column.saturating_sub(n))
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(line)?;
        self.write_str("\n")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.with(|state| {
            for character in text.chars() {
                state.put(character, self.width.into());
            }
        })
    }

    fn clear_line(&self) -> io::Result<()> {
        self.with(|state| {
            state.column = 0;
            if let Some(line) = state.lines.get_mut(state.row) {
                line.fill(' ');
            }
        })
    }

    fn flush(&self) -> io::Result<()> {
        self.with(|state| state.highest = state.highest.max(state.shown().len()))
    }
}
