//! Replaces `parquet_file.rs` in a program built without the feature `parquet`. Every function
//! returns an error that explains how to build the program with the feature.

use std::path::Path;

use super::{Row, Visit, unusable};
use crate::DatasetError;

pub fn scan(
    path: &Path,
    _columns: &[&str],
    _texts: &[&str],
    _visit: &mut Visit,
) -> Result<(), DatasetError> {
    Err(refused(path))
}

pub fn group(
    path: &Path,
    _group: usize,
    _visit: &mut dyn FnMut(Row) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    Err(refused(path))
}

fn refused(path: &Path) -> DatasetError {
    unusable(
        path,
        "this program was built without the feature `parquet`, which reads Parquet files. Build it with all features \
         (`cargo install --path eval --locked --features full`), or convert the file to JSON Lines",
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn error_explains_how_to_enable_parquet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.parquet");
        std::fs::write(&path, "PAR1").unwrap();
        let path = path.display().to_string();
        let error = crate::open(&path, &crate::Options::default())
            .err()
            .unwrap();
        let said = error.to_string();
        assert!(
            said.starts_with(&format!(
                "{path}: this program was built without the feature `parquet`"
            )),
            "{said}"
        );
        assert!(said.contains("--features full"), "{said}");
    }
}
