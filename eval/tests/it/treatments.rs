//! Agents receive exactly the treatment that a run declares, or the run is refused: the rows of
//! `treatments.yaml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;
use serde_json::Value;

use crate::binary::Binary;
use crate::run::{only, read_json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    files: BTreeMap<String, String>,
    refused: Vec<String>,
    warned: Vec<String>,
    allowed: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    args: String,
    /// Part of the run folder's name after the benchmark.
    folder: String,
    mode: String,
    #[serde(default)]
    drivers: String,
    depth: u64,
    iterations: u64,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    stderr: Vec<String>,
}

fn table() -> Table {
    serde_saphyr::from_str(include_str!("treatments.yaml")).expect("the rows are YAML")
}

const RUN: &str = "run --benchmark s-niah --context-len 2k --samples-per-length 1 --isolation thread \
                   --date 2026-01-31 --log-dir runs";

fn binary(table: &Table) -> Binary {
    let files = table.files.iter();
    files.fold(Binary::new(), |binary, (name, text)| {
        binary.file(name, text)
    })
}

fn words(args: &str) -> Vec<&str> {
    // Profiles match model names, not file names.
    let is_of_family = args.contains("--profiles-file");
    let model = [
        "--model",
        if is_of_family {
            "scripted"
        } else {
            "scripted:model.yaml"
        },
    ];
    RUN.split_whitespace()
        .chain(model)
        .chain(args.split_whitespace())
        .collect()
}

#[test]
fn refuses_settings_without_effect() {
    let table = table();
    let binary = binary(&table);
    let mut all = String::new();
    for args in &table.refused {
        let ran = binary.run(&words(args), "");
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{args}: {ran:?}"
        );
        write!(all, "{args}\n{}\n", ran.stderr).unwrap();
    }
    assert!(!binary.path().join("runs").exists());
    insta::assert_snapshot!("refused_treatments", all);
}

#[test]
fn warns_about_limits_without_effect() {
    let table = table();
    let mut all = String::new();
    for args in &table.warned {
        let ran = binary(&table).run(&words(args), "");
        assert!(matches!(ran.code, Some(0 | 1)), "{args}: {ran:?}");
        let warnings = ran
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning: --"));
        let warnings: Vec<&str> = warnings.collect();
        write!(all, "{args}\n{}\n", warnings.join("\n")).unwrap();
    }
    insta::assert_snapshot!("limits_without_effect", all);
}

#[test]
fn labels_match_prompt_of_root() {
    let table = table();
    let mut recorded = Recorded::default();
    for row in &table.allowed {
        let binary = binary(&table);
        let ran = binary.run(&words(&row.args), "");
        assert_eq!(ran.code, Some(0), "{row:?}: {}", ran.stderr);
        let told = ran.stderr.lines().filter(|line| {
            line.contains("profile `")
                || line.contains("action-overrides")
                || line.contains("prompts-dir")
                || line.contains("files-dir")
                || line.contains("written for")
                || line.contains(" mode")
        });
        assert_eq!(told.collect::<Vec<_>>(), row.stderr, "{row:?}");
        let run = only(&binary.path().join("runs"));
        let name = run.file_name().unwrap().to_string_lossy().into_owned();
        let stem = format!("s-niah-{}-", row.folder);
        assert!(name.starts_with(&stem), "{row:?}: {name}");
        let drivers = row.drivers.replace('+', "-");
        let is_named = name.contains(&drivers) || name.contains("-drivers-");
        assert!(is_named, "{row:?}: {name}");

        let config = read_json(run.join("config.json"));
        let lock = read_json(run.join("lock.json"));
        let mode = match row.mode.as_str() {
            "" => Value::Null,
            mode => mode.into(),
        };
        let places = [
            &config["run"],
            &config["engine"],
            &lock["fingerprint"]["parts"],
        ];
        for place in places {
            let label = (
                &place["prompt_mode"],
                &place["max_depth"],
                &place["max_iterations"],
            );
            let expected = (&mode, &Value::from(row.depth), &Value::from(row.iterations));
            assert_eq!(label, expected, "{row:?}");
        }
        let names = |drivers: &Value| -> String {
            let drivers = drivers.as_array().unwrap().iter();
            let names: Vec<&str> = drivers
                .map(|driver| driver["name"].as_str().unwrap())
                .collect();
            names.join("+")
        };
        assert_eq!(config["run"]["drivers"], row.drivers.as_str(), "{row:?}");
        assert_eq!(names(&config["engine"]["drivers"]), row.drivers, "{row:?}");

        let mut csv = csv::Reader::from_path(run.join("results.csv")).unwrap();
        let header = csv.headers().unwrap().clone();
        let cells = csv.records().next().unwrap().unwrap();
        let cell = |name: &str| {
            let at = header.iter().position(|column| column == name).unwrap();
            cells[at].to_owned()
        };
        assert_eq!(
            [
                cell("prompt_mode"),
                cell("drivers"),
                cell("max_depth"),
                cell("max_iterations")
            ],
            [
                row.mode.clone(),
                row.drivers.clone(),
                row.depth.to_string(),
                row.iterations.to_string()
            ],
            "{row:?}"
        );

        recorded.add(
            &row.args,
            [
                &lock["fingerprint"]["parts"],
                &config["engine"],
                &config["flags"],
            ],
        );
        let sent = root_prompt(&run);
        for text in &row.has {
            assert!(sent.contains(text), "{row:?} lacks {text}: {sent}");
        }
        for text in &row.lacks {
            assert!(!sent.contains(text), "{row:?} has {text}: {sent}");
        }
    }
    insta::assert_snapshot!("recorded_treatments", recorded.text);
}

/// Names in the snapshot for fingerprint parts, engine settings and flags.
const PLACES: [&str; 3] = ["part", "engine", "flags"];

/// Fingerprint parts, engine settings and flags that each run records: all of the first run's, and
/// those of each other run that differ. Resuming and comparing old runs depend on these values.
#[derive(Default)]
struct Recorded {
    first: Option<[Value; PLACES.len()]>,
    text: String,
}

impl Recorded {
    fn add(&mut self, args: &str, places: [&Value; PLACES.len()]) {
        writeln!(
            self.text,
            "{}",
            if args.is_empty() { "(none)" } else { args }
        )
        .unwrap();
        for (at, place) in places.into_iter().enumerate() {
            let first = self.first.as_ref().map(|first| &first[at]);
            let known = |name: &String| first.and_then(|first| first.get(name));
            let fields = place.as_object().unwrap().iter();
            // The program and its templates change in every version.
            let fields = fields.filter(|(name, _)| *name != "program" && *name != "templates");
            let new = fields.filter(|(name, value)| known(name) != Some(*value));
            for (name, value) in new {
                writeln!(self.text, "  {}.{name}: {value}", PLACES[at]).unwrap();
            }
            let first = first.and_then(Value::as_object).into_iter().flatten();
            for (name, _) in first.filter(|(name, _)| place.get(name).is_none()) {
                writeln!(self.text, "  {}.{name} is absent", PLACES[at]).unwrap();
            }
        }
        self.first.get_or_insert_with(|| places.map(Value::clone));
    }
}

/// Returns the system prompt that was sent to the root of the first attempt, from its trajectory.
fn root_prompt(run: &std::path::Path) -> String {
    let mut files = fs::read_dir(run.join("trajectories")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    let text = fs::read_to_string(file).unwrap();
    let events = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut starts = events.filter(|event| event["invocation"] == "root");
    let prompt = starts.find_map(|event| {
        let prompt = event["kind"]["system_prompt"].as_str();
        prompt.map(str::to_owned)
    });
    prompt.expect("the root's start is recorded")
}
