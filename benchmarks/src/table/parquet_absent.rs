//! Replaces `parquet_file.rs` in a program built without the feature `parquet`. Every function
//! returns an error that explains how to build the program with the feature.

use std::path::Path;

use super::position::Visit;
use crate::DatasetError;
use crate::fields::Row;

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
    DatasetError::unusable(
        path,
        "this program was built without the feature `parquet`, which reads Parquet files. Build it with all features \
         (`cargo install --path eval --locked --features full`), or convert the file to JSON Lines",
    )
}

#[cfg(test)]
mod tests {
    use crate::table::Table;

    #[test]
    fn error_explains_how_to_enable_parquet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.parquet");
        std::fs::write(&path, "PAR1").unwrap();
        let table = Table::find(&path, None, "").unwrap();
        let error = table.scan(&[], &[], &mut |_, _| Ok(())).unwrap_err();
        let said = error.to_string();
        assert!(
            said.starts_with(&format!(
                "{}: this program was built without the feature `parquet`",
                path.display()
            )),
            "{said}"
        );
        assert!(said.contains("--features full"), "{said}");
    }
}
