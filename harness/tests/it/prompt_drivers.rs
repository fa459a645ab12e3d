//! Bundled and user-supplied drivers, and errors for invalid files.

use std::fs;
use std::path::Path;

use harness::Protocol;
use harness::prompt::{Driver, DriverLibrary, DriverSource, PromptError, warnings};
use harness::settings::PromptMode;
use tempfile::TempDir;

const SOLVER: PromptMode = PromptMode::Solver;
const COORDINATOR: PromptMode = PromptMode::Coordinator;

pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a writable temporary folder");
    }
    folder
}

/// Returns an error's message, with the folder's path replaced by `DIR`.
pub fn message(error: &PromptError, folder: &Path) -> String {
    error
        .to_string()
        .replace(&folder.display().to_string(), "DIR")
}

#[test]
fn bundled_drivers_are_valid() {
    let library = DriverLibrary::bundled();
    let names: Vec<&str> = library.iter().map(|driver| driver.name.as_str()).collect();
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/drivers")).unwrap();
    let mut files: Vec<String> = files
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        names
            .iter()
            .map(|name| format!("{name}.md"))
            .collect::<Vec<_>>(),
        files
    );
    for driver in library.iter() {
        assert_eq!(driver.source, DriverSource::Bundled);
        assert!(
            driver.body.starts_with("## ") && driver.body.lines().count() <= 40,
            "{}",
            driver.name
        );
        assert!(
            library.resolve(&driver.conflicts).is_ok(),
            "{} conflicts with an unknown driver",
            driver.name
        );
    }
    // Drivers that mention the REPL must be limited to protocols with a REPL.
    let of_repl = ["return", "__ctx", "__rlm", "block", "`typeof", "code"];
    let speaks = |driver: &&Driver| of_repl.iter().any(|word| driver.body.contains(word));
    let of_repl: Vec<&Driver> = library.iter().filter(speaks).collect();
    assert!(!of_repl.is_empty());
    for driver in of_repl {
        let mut protocols = driver.protocols.iter();
        let has_repl = protocols.all(|protocol| protocol.capabilities().has_repl());
        assert!(has_repl, "{}", driver.name);
    }
}

#[test]
fn driver_fits_only_named_protocols() {
    let rows = [
        ("", vec![Protocol::Rlm]),
        ("protocols: [direct]\n", vec![Protocol::Direct]),
        (
            "protocols: [tools, agent-turn, json-action]\n",
            vec![Protocol::Tools, Protocol::AgentTurn, Protocol::JsonAction],
        ),
    ];
    for (field, expected) in rows {
        let text = format!("---\nname: own\ndescription: d\nmodes: [solver]\n{field}---\nText.");
        let folder = folder(&[("own.md", &text)]);
        let library = DriverLibrary::bundled().with_dir(folder.path()).unwrap();
        let driver = &library.resolve(&["own"]).unwrap()[0];
        assert_eq!(driver.protocols, expected);
        for protocol in Protocol::ALL {
            let words: Vec<&str> = expected.iter().map(|protocol| protocol.as_str()).collect();
            // The last protocol is preceded by `or`.
            let words = words.join(", ").replace(", json", " or json");
            let unfit =
                format!("driver `own` requires --protocol {words}, but the protocol is {protocol}");
            let fits = driver.fits(protocol).map_err(|unfit| unfit.to_string());
            let wanted = if expected.contains(&protocol) {
                Ok(())
            } else {
                Err(unfit)
            };
            assert_eq!(fits, wanted);
        }
    }
}

#[test]
fn user_driver_replaces_bundled_driver() {
    let text = "\u{feff}---\r\nname: exact-format\r\ndescription: Mine.\r\nmodes: [solver]\r\n---\r\n\r\nBe\r\nexact.\r\n";
    let own = "---\nname: own\ndescription: New.\nmodes:\n  - coordinator\nconflicts: [x]\n---\nBe own {iterations}.\n---\nEnd.";
    let folder = folder(&[
        ("exact-format.md", text),
        ("own.md", own),
        ("notes.txt", "no driver"),
    ]);
    let library = DriverLibrary::bundled().with_dir(folder.path()).unwrap();
    let drivers = library.resolve(&["own", "exact-format", "own"]).unwrap();

    let names: Vec<&str> = drivers.iter().map(|driver| driver.name.as_str()).collect();
    assert_eq!(
        names,
        ["own", "exact-format"],
        "in the given order, each once"
    );
    assert_eq!(drivers[0].body, "Be own {iterations}.\n---\nEnd.");
    assert_eq!(
        (drivers[0].modes.as_slice(), drivers[0].conflicts.as_slice()),
        (&[COORDINATOR][..], &["x".to_owned()][..])
    );
    assert_eq!(drivers[1].body, "Be\nexact.");
    // printf 'Be\nexact.' | sha256sum
    assert_eq!(
        drivers[1].digest,
        "a669bfe93726f7c6132f3f6b8d0caa83220a60824fa883a5ee126310deb35c4f"
    );
    assert_eq!(
        drivers[1].source,
        DriverSource::File(folder.path().join("exact-format.md"))
    );
    let bundled = DriverLibrary::bundled().iter().count();
    assert_eq!(library.iter().count(), bundled + 1);
}

#[test]
fn explains_invalid_driver_files() {
    let good = "---\nname: own\ndescription: d\nmodes: [solver]\n---\nText.";
    let cases = [
        (
            "no front matter",
            "DIR/own.md: the first line is not `---`: a driver begins with front matter (name, description, modes)",
        ),
        (
            "---\nname: own\n",
            "DIR/own.md: the front matter is not closed: expected a second line `---`",
        ),
        (
            &good.replace("own", "other"),
            "DIR/own.md: field `name`: `other` differs from the file's name, expected `own`",
        ),
        (
            &good.replace("[solver]", "[]"),
            "DIR/own.md: field `modes`: expected at least one of `solver`, `coordinator`",
        ),
        (
            &good.replace("[solver]", "[slover]"),
            "DIR/own.md: field `modes`: unknown prompt mode `slover`, expected `solver` or `coordinator`; did you mean `solver`?",
        ),
        (
            &good.replace("---\nText", "protocols: [repl]\n---\nText"),
            "DIR/own.md: field `protocols`: unknown protocol `repl`: expected {PROTOCOLS_OR}",
        ),
        (
            &good.replace("---\nText", "protocols: []\n---\nText"),
            "DIR/own.md: field `protocols`: expected at least one of {PROTOCOLS}",
        ),
        (
            &good.replace("description: d", "description: ' '"),
            "DIR/own.md: field `description`: expected one line of text",
        ),
        (
            &good.replace("Text.", " \n"),
            "DIR/own.md: no guidance follows the front matter",
        ),
        (
            &good.replace("description: d\n", ""),
            "DIR/own.md:3: missing field `description`, near `modes: [solver]`",
        ),
        (
            &good.replace("description", "descriptoin"),
            "DIR/own.md:3: unknown field `descriptoin`, expected one of name, description, modes, protocols, conflicts, near `descriptoin: d`",
        ),
        (
            &good.replace("[solver]", "solver"),
            "DIR/own.md:4: expected sequence start, near `modes: solver`",
        ),
        (
            &good.replace("[solver]", "[solver"),
            "DIR/own.md:4: unclosed bracket '[', near `modes: [solver`",
        ),
        (
            &good.replace("name: own", "name: own\nname: own"),
            "DIR/own.md:3: duplicate mapping key: name not allowed here, near `name: own`",
        ),
        ("---\n---\nText.", "DIR/own.md: missing field `name`"),
    ];
    let names = Protocol::ALL.map(|protocol| format!("`{protocol}`"));
    let all = names.join(", ");
    let (last, others) = names.split_last().unwrap();
    let one = format!("{} or {last}", others.join(", "));
    for (text, expected) in cases {
        let folder = folder(&[("own.md", text)]);
        let error = DriverLibrary::bundled()
            .with_dir(folder.path())
            .unwrap_err();
        let expected = expected
            .replace("{PROTOCOLS}", &all)
            .replace("{PROTOCOLS_OR}", &one);
        assert_eq!(message(&error, folder.path()), expected, "{text}");
    }
}

#[test]
fn explains_unreadable_driver_folders() {
    let folder = folder(&[(
        "Bad Name.md",
        "---\nname: Bad Name\ndescription: d\nmodes: [solver]\n---\nText.",
    )]);
    let error = DriverLibrary::bundled()
        .with_dir(folder.path())
        .unwrap_err();
    let expected = "DIR/Bad Name.md: field `name`: invalid name `Bad Name`: expected lowercase letters, digits or `-`";
    assert_eq!(message(&error, folder.path()), expected);

    fs::write(folder.path().join("Bad Name.md"), b"---\n\xff").unwrap();
    let error = DriverLibrary::bundled()
        .with_dir(folder.path())
        .unwrap_err();
    assert_eq!(
        message(&error, folder.path()),
        "cannot read DIR/Bad Name.md: stream did not contain valid UTF-8"
    );

    let error = DriverLibrary::bundled()
        .with_dir(&folder.path().join("none"))
        .unwrap_err();
    assert_eq!(
        message(&error, folder.path()),
        "cannot read DIR/none: No such file or directory (os error 2)"
    );
}

#[test]
fn suggests_nearest_driver() {
    let bundled = DriverLibrary::bundled();
    let known: Vec<&str> = bundled.iter().map(|driver| driver.name.as_str()).collect();
    let known = known.join(", ");
    let cases = [
        (
            "deadline-retrun",
            "unknown driver `deadline-retrun`; did you mean `deadline-return`?".to_owned(),
        ),
        (
            "verify",
            "unknown driver `verify`; did you mean `verify-before-return`?".to_owned(),
        ),
        (
            "Exact-Format",
            "unknown driver `Exact-Format`; did you mean `exact-format`?".to_owned(),
        ),
        ("budget", format!("unknown driver `budget`; known: {known}")),
        ("", format!("unknown driver ``; known: {known}")),
    ];
    for (name, expected) in cases {
        let error = DriverLibrary::bundled()
            .resolve(&["exact-format", name])
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn warns_about_unsuitable_drivers() {
    let misfit = |name: &str, written: &str, mode: &str| {
        format!("driver `{name}` is written for {written} mode, but the run is in {mode} mode")
    };
    let conflict =
        |one: &str, other: &str| format!("drivers `{one}` and `{other}` contradict each other");
    let cases: &[(PromptMode, &[&str], &[String])] = &[
        (SOLVER, &[], &[]),
        (
            SOLVER,
            &[
                "deadline-return",
                "hypothesis-budget",
                "exploration-budget",
                "reuse-state",
            ],
            &[],
        ),
        (
            COORDINATOR,
            &[
                "delegation-first",
                "deadline-return",
                "verify-before-return",
                "chunk-and-map",
            ],
            &[],
        ),
        (
            COORDINATOR,
            &["exploration-budget"],
            &[misfit("exploration-budget", "solver", "coordinator")],
        ),
        (
            SOLVER,
            &["delegation-first"],
            &[misfit("delegation-first", "coordinator", "solver")],
        ),
        (
            COORDINATOR,
            &["hypothesis-budget", "exact-format", "delegation-first"],
            &[
                misfit("hypothesis-budget", "solver", "coordinator"),
                conflict("hypothesis-budget", "delegation-first"),
            ],
        ),
    ];
    for (mode, names, expected) in cases {
        assert_eq!(
            &warnings(*mode, &DriverLibrary::bundled().resolve(names).unwrap()),
            expected,
            "{names:?}"
        );
    }
    // A conflict declared by one of the drivers is enough, in either order.
    let one_sided =
        "---\nname: own\ndescription: d\nmodes: [solver]\nconflicts: [exact-format]\n---\nText.";
    let folder = folder(&[("own.md", one_sided)]);
    let library = DriverLibrary::bundled().with_dir(folder.path()).unwrap();
    for names in [["own", "exact-format"], ["exact-format", "own"]] {
        assert_eq!(
            warnings(SOLVER, &library.resolve(&names).unwrap()),
            [conflict(names[0], names[1])]
        );
    }
}
