//! `rlm-eval view --export`.

use std::fs;

use run_fixture::write_run_dir;

use crate::binary::{Binary, Ran};

#[test]
fn exports_self_contained_page() {
    let binary = Binary::new();
    write_run_dir(&binary.path().join("results/one"));
    let ran = binary.run(&["view", "results/one", "--export", "page.html"], "");
    let wanted = Ran {
        code: Some(0),
        stdout: "page.html\n".to_owned(),
        stderr: String::new(),
    };
    assert_eq!(ran, wanted);
    let page = fs::read_to_string(binary.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    for from_elsewhere in ["src=\"", "href=\"http", "@import", "url("] {
        assert!(!page.contains(from_elsewhere), "{from_elsewhere}");
    }
}
