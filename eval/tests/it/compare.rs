//! `rlm-eval compare`: its output, its files, and its errors.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::binary::{Binary, Ran};

/// A comparison of files in name order, with further arguments and the expected exit code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    args: Vec<String>,
    runs: BTreeMap<String, String>,
    code: i32,
}

#[test]
fn compares_or_refuses_runs() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("compare/cases.json")).unwrap();
    for Case {
        name,
        args,
        runs,
        code,
    } in cases
    {
        let mut binary = Binary::new();
        let mut line = vec!["compare".to_owned()];
        for (file, content) in runs {
            binary = binary.file(&file, content);
            line.push(file);
        }
        line.extend(args);
        let ran = binary.run(&line, "");
        assert_eq!(ran.code, Some(code), "{name}: {ran:?}");
        let Ran { stdout, stderr, .. } = ran;
        assert!(
            !format!("{stdout}{stderr}").contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{name}"
        );
        insta::assert_snapshot!(
            format!("compare_{name}"),
            format!("{stdout}--- stderr\n{stderr}")
        );
    }
}

#[test]
fn writes_comparisons_as_csv() {
    let binary = Binary::new()
        .file("a.csv", "id,score\n1,0\n2,0\n3,0\n4,0\n5,1\n")
        .file("=b.csv", "id,score\n1,1\n2,1\n3,1\n4,\n5,1\n")
        .file("c.csv", "id,score\nz,1\n")
        .file("out.csv", "replaced");
    let ran = binary.run(
        &["compare", "a.csv", "=b.csv", "c.csv", "--csv", "out.csv"],
        "",
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Differences 1, 1, 1, 0 over four samples, and 1, 1, 1, 0, 0 over five: the standard error is
    // s/√n; interval and power are computed by `tango_case` and `power_case` in
    // eval/statistics/tests/reference.py.
    let rounded: Vec<String> = fs::read_to_string(binary.path().join("out.csv"))
        .unwrap()
        .lines()
        .map(|line| {
            let cell = |cell: &str| match cell.parse::<f64>() {
                Ok(number) => ((number * 1e4).round() / 1e4).to_string(),
                Err(_) => cell.to_owned(),
            };
            line.split(',').map(cell).collect::<Vec<_>>().join(",")
        })
        .collect();
    assert_eq!(
        rounded,
        [
            "family,first,second,first_path,second_path,errors,samples,clusters,first_score,second_score,difference,\
             standard_error,low,high,wins,losses,ties,method,p,p_holm,mcnemar_p,detectable,differs",
            "baseline,A,B,a.csv,'=b.csv,excluded,4,4,0.25,1,0.75,0.25,-0.1073,0.9544,3,0,1,Tango's score test,0.0833,0.0833,0.25,0.9457,",
            "baseline,A,B,a.csv,'=b.csv,zero,5,5,0.2,0.8,0.6,0.2449,-0.0952,0.8824,3,0,2,Tango's score test,0.0833,0.0833,0.25,0.8314,",
            "baseline,A,C,a.csv,c.csv,excluded,0,0,,,,,,,,,,,,,,,",
            "baseline,A,C,a.csv,c.csv,zero,0,0,,,,,,,,,,,,,,,",
            "best,B,C,'=b.csv,c.csv,excluded,0,0,,,,,,,,,,,,,,,",
            "best,B,C,'=b.csv,c.csv,zero,0,0,,,,,,,,,,,,,,,",
        ]
    );

    // The file must not be one of the files of a compared run.
    fs::create_dir(binary.path().join("run")).unwrap();
    let ran = binary.run(&["compare", "a.csv", "run", "--csv", "run/out.csv"], "");
    let wanted =
        "error: --csv run/out.csv: this would overwrite a compared run or one of its files\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), wanted));
}
