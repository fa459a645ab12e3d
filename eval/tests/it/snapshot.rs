//! The engine snapshot that a start of the program stores for later starts.

use std::collections::BTreeSet;
use std::fs;

use crate::binary::Binary;
use crate::run::files_in;

#[test]
fn reuses_snapshot_and_rebuilds_damaged_one() {
    let binary = Binary::new().variable("XDG_CACHE_HOME", "caches");
    let file = binary.path().join("caches/eval/engine-snapshot");
    let run = || {
        let ran = binary.run(&["repl"], "console.log(1 + 1)\n");
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
fn works_without_writable_cache_folder() {
    let binary = Binary::new()
        .file("caches", "a file in the way")
        .variable("XDG_CACHE_HOME", "caches");
    let ran = binary.run(&["repl"], "console.log(1 + 1)\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn cells_leave_nothing_in_cache_folder() {
    let binary = Binary::new().variable("XDG_CACHE_HOME", "caches");
    let run = |isolation, cells: &str| {
        let ran = binary.run(&["repl", "--isolation", isolation], cells);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        files_in(&binary.path().join("caches"))
    };
    let made_once = run("thread", "1 + 1\n");
    assert!(!made_once.is_empty());
    for (isolation, cells) in [
        (
            "thread",
            "let secret = 'of a thread'\nconsole.log(secret)\n",
        ),
        (
            "process",
            "let secret = 'of a process'\nconsole.log(secret)\n",
        ),
    ] {
        assert_eq!(run(isolation, cells), made_once, "{isolation}");
    }
}

#[test]
fn snapshot_does_not_fix_random_numbers() {
    let kept = Binary::new().variable("XDG_CACHE_HOME", "caches");
    let never_kept = Binary::new()
        .file("caches", "a file in the way")
        .variable("XDG_CACHE_HOME", "caches");
    let mut drawn = Vec::new();
    for binary in [kept, never_kept] {
        for isolation in ["thread", "process"] {
            for _ in 0..3 {
                let ran = binary.run(
                    &["repl", "--isolation", isolation],
                    "console.log(Math.random())\n",
                );
                assert_eq!(ran.code, Some(0), "{ran:?}");
                drawn.push(ran.stdout);
            }
        }
    }
    let different: BTreeSet<_> = drawn.iter().collect();
    assert_eq!(different.len(), 12, "{drawn:?}");
}
