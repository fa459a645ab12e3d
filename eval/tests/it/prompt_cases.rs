//! `rlm-eval prompt` on the cases of `prompt_cases.yaml`: output, warnings and errors.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::binary::Binary;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    args: Vec<String>,
    #[serde(default)]
    code: i32,
    /// Complete stdout, if given.
    stdout: Option<String>,
    /// Texts that stdout contains in this order.
    #[serde(default)]
    shows: Vec<String>,
    /// Texts that stdout must not contain.
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    stderr: String,
}

#[test]
fn shows_prompts_and_reports_faults() {
    let cases: Vec<Case> =
        serde_saphyr::from_str(include_str!("prompt_cases.yaml")).expect("the cases are YAML");
    let mut wrong = Vec::new();
    for case in cases {
        let mut binary = Binary::new().variable("EVAL_DATE", "2026-01-31");
        for (name, text) in &case.files {
            binary = binary.file(name, text);
        }
        for (name, value) in &case.variables {
            binary = binary.variable(name, value);
        }
        let args = [&["prompt".to_owned()], case.args.as_slice()].concat();
        let ran = binary.run(&args, "");
        let mut rest = ran.stdout.as_str();
        let mut is_shown = |wanted: &String| match rest.split_once(wanted.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        };
        let is_right = ran.code == Some(case.code)
            && ran.stderr == case.stderr
            && case.stdout.as_ref().is_none_or(|all| *all == ran.stdout)
            && case.shows.iter().all(&mut is_shown)
            && !case.lacks.iter().any(|text| ran.stdout.contains(text));
        if !is_right {
            wrong.push(format!(
                "# {}\ncode {:?}\n--- stdout\n{}--- stderr\n{}",
                case.about, ran.code, ran.stdout, ran.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
