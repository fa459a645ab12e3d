//! Positions of rows in files, and the callback that receives each row.

use crate::DatasetError;
use crate::fields::Row;

/// Position of a row in its file.
#[derive(Clone, Debug)]
pub enum At {
    /// Offset and length in bytes.
    Bytes(u64, usize),
    Csv(Box<csv::Position>),
    /// Row group and the row's index in it.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only the Parquet reader creates it")
    )]
    Group(usize, usize),
}

/// Callback for each row: its position in the file, its number, and the row or an error message.
pub type Visit<'a> = dyn FnMut(At, u64, Result<Row, String>) -> Result<(), DatasetError> + 'a;
