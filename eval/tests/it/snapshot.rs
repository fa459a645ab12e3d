//! The loaded engine that one start of the program leaves to the next.

use std::fs;

use crate::binary::Binary;

#[test]
fn a_kept_engine_is_used_again_and_a_damaged_one_is_made_anew() {
    let binary = Binary::new().variable("XDG_CACHE_HOME", "caches");
    let file = binary.path().join("caches/eval/engine-snapshot");
    let run = || {
        let ran = binary.run(&["repl"], "1 + 1\n");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        (ran.stdout, fs::read(&file).unwrap(), written)
    };
    let first = run();
    assert_eq!(run(), first);
    for damage in [
        &first.1[..first.1.len() / 2],
        b"",
        b"no snapshot at all, but longer than a digest",
    ] {
        fs::write(&file, damage).unwrap();
        let (output, ..) = run();
        assert_eq!(output, first.0);
        assert!(fs::metadata(&file).unwrap().len() > 1_000_000);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    let binary = Binary::new()
        .file("caches", "a file in the way")
        .variable("XDG_CACHE_HOME", "caches");
    let ran = binary.run(&["repl"], "1 + 1\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}
