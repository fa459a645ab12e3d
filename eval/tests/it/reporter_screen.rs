//! A terminal in memory that keeps what stands on it.

use std::io;
use std::sync::{Arc, Mutex};

use indicatif::TermLike;

/// A screen of a fixed size, without scrolling: what is written below its last line is an error of the writer.
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
    /// The most lines that ever stood on the screen at once.
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

    /// The lines, without trailing spaces and empty ones.
    pub fn lines(&self) -> Vec<String> {
        self.state.lock().unwrap().shown()
    }

    pub fn highest(&self) -> usize {
        self.state.lock().unwrap().highest
    }

    fn with(&self, change: impl FnOnce(&mut State)) -> io::Result<()> {
        change(&mut self.state.lock().unwrap());
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
                if self.column == width {
                    (self.row, self.column) = (self.row + 1, 0);
                }
                while self.lines.len() <= self.row {
                    self.lines.push(vec![' '; width]);
                }
                self.lines[self.row][self.column] = character;
                self.column += 1;
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
            text.chars()
                .for_each(|character| state.put(character, self.width.into()))
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
