//! `rlm-eval run --partition`: shards get nearly equal numbers of samples, and keep their samples
//! when resumed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use eval::settings::Partition;
use records::run_dir::RunDir;
use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::run::{finish, read_json, s_niah};

const EIGHT: [&str; 4] = ["--context-len", "2k", "--samples-per-length", "8"];

fn share(binary: &Binary, share: &str, more: &[&str]) -> PathBuf {
    let args = [&EIGHT[..], &["--partition", share], more].concat();
    finish(binary, &s_niah(&args)).dir.path
}

fn resume(binary: &Binary, dir: &Path, more: &[&str]) -> Ran {
    let dir = dir.to_str().unwrap();
    binary.run(&[&["run", "--resume", dir], more].concat(), "")
}

fn ids(dir: &Path) -> BTreeSet<String> {
    let records = RunDir::open(dir).unwrap().records;
    records.into_iter().map(|record| record.id).collect()
}

fn edit_config(dir: &Path, edit: impl Fn(&mut Value)) {
    let path = dir.join("config.json");
    let mut config = read_json(&path);
    edit(&mut config["benchmark"]);
    fs::write(&path, config.to_string()).unwrap();
}

/// Makes a run look as if it was killed before its first attempt ended.
fn empty(dir: &Path) {
    for gone in ["samples.jsonl", "results.csv", "summary.json"] {
        fs::remove_file(dir.join(gone)).unwrap();
    }
}

#[test]
fn shards_are_even_and_keep_their_samples() {
    let binary = Binary::new();
    let dirs = ["1/3", "2/3", "3/3"].map(|name| share(&binary, name, &[]));
    let dealt = dirs.each_ref().map(|dir| ids(dir));
    let mut sizes = dealt.each_ref().map(BTreeSet::len);
    sizes.sort_unstable();
    assert_eq!(sizes, [2, 3, 3]);
    assert_eq!(dealt.iter().flatten().collect::<BTreeSet<_>>().len(), 8);

    // A shard keeps its samples, even if a later version selects or assigns them differently.
    let dir = &dirs[0];
    let other: Vec<&String> = dealt[1].iter().take(2).collect();
    edit_config(dir, |benchmark| {
        assert_eq!(benchmark["partition_rule"], 2);
        assert_eq!(
            benchmark["partition_samples"].as_array().unwrap().len(),
            dealt[0].len()
        );
        benchmark["partition_samples"] = serde_json::json!(other);
    });
    empty(dir);
    assert_eq!(resume(&binary, dir, &[]).code, Some(0));
    assert_eq!(ids(dir).iter().collect::<Vec<_>>(), other);

    // A resumed shard may get more attempts, but not more samples.
    let dir = &dirs[2];
    assert_eq!(resume(&binary, dir, &["--attempts", "2"]).code, Some(0));
    assert_eq!(ids(dir), dealt[2]);
    let config = dir.join("config.json").display().to_string();
    let kept = "this run is shard 3/3, whose samples were assigned at its start; merge the shards and resume the merged run";
    let rows: [(&[&str], String); 6] = [
        (
            &["--samples-per-length", "20"],
            format!("--samples-per-length cannot change: {kept}"),
        ),
        (
            &["--context-len", "2k,4k"],
            format!("--context-len cannot change: {kept}"),
        ),
        (
            &["--max-samples", "7"],
            format!("--max-samples cannot change: {kept}"),
        ),
        (
            &["--filter", "needles=1"],
            format!("--filter cannot change: {kept}"),
        ),
        (
            &["--partition", "1/3"],
            "this run is shard 3/3 and cannot be resumed as shard 1/3".to_owned(),
        ),
        (
            &["--partition", "3/4"],
            "this run is shard 3/3 and cannot be resumed as shard 3/4".to_owned(),
        ),
    ];
    for (flags, problem) in rows {
        let ran = resume(&binary, dir, flags);
        assert_eq!(
            (ran.code, ran.stderr),
            (Some(2), format!("error: {config}: {problem}\n"))
        );
    }
    assert_eq!(resume(&binary, dir, &["--partition", "3/3"]).code, Some(0));
    edit_config(dir, |benchmark| benchmark["partition_rule"] = 3.into());
    let ran = resume(&binary, dir, &[]);
    let unknown = "benchmark.partition_rule is 3; this program knows the rules 1 and 2";
    assert_eq!(ran.stderr, format!("error: {config}: {unknown}\n"));
}

#[test]
fn resumed_shard_keeps_old_partition_rule() {
    let binary = Binary::new();
    let [old, new] = ["1/2", "2/2"].map(|name| share(&binary, name, &["--max-samples", "6"]));
    edit_config(&old, |benchmark| {
        let benchmark = benchmark.as_object_mut().unwrap();
        benchmark.remove("partition_rule");
        benchmark.remove("partition_samples");
    });
    empty(&old);
    assert!(resume(&binary, &old, &[]).code == Some(0));
    let by_hash = |count: u32| -> BTreeSet<String> {
        let first = Partition { index: 1, of: 2 };
        let ids = (1..=count).map(|number| format!("s-niah-2k-{number}"));
        ids.filter(|id| first.holds(id)).collect()
    };
    assert_eq!(ids(&old), by_hash(6));
    // Under that rule, the shard of a sample depends only on the sample's id, so samples can be
    // added.
    assert_eq!(resume(&binary, &old, &["--max-samples", "8"]).code, Some(0));
    assert_eq!(ids(&old), by_hash(8));
    assert_eq!(resume(&binary, &old, &[]).code, Some(0));
    assert_eq!(ids(&old), by_hash(8));

    let [old, new] = [old, new].map(|dir| dir.display().to_string());
    let ran = binary.run(&["merge", "out", &old, &new], "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let end = "--partition assigned the samples by rule 1 in one run and by rule 2 in the other\n";
    assert!(ran.stderr.ends_with(end), "{ran:?}");
}
