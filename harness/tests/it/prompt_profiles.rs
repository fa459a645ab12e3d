//! Bundled and user-supplied profiles, and errors for invalid files.

use harness::prompt::{DriverLibrary, Profiles, warnings};
use harness::settings::PromptMode;

use crate::prompt_drivers::{folder, message};

#[test]
fn bundled_profiles_match_model_families() {
    let profiles = Profiles::bundled();
    for profile in profiles.iter() {
        let drivers = DriverLibrary::bundled().resolve(&profile.drivers).unwrap();
        for mode in PromptMode::ALL {
            assert_eq!(warnings(mode, &drivers), [""; 0], "{}", profile.name);
        }
    }
    let cases = [
        ("anthropic/claude-opus-4-6", Some("claude")),
        ("openrouter/anthropic/Claude-3.5-Haiku", Some("claude")),
        ("openai/gpt-5-mini", Some("gpt")),
        ("openai/o4-mini", Some("gpt")),
        ("openrouter/openai/gpt-oss-120b", Some("open-weights")),
        ("openrouter/google/gemini-3-pro", Some("gemini")),
        ("openrouter/google/gemma-3", Some("open-weights")),
        ("openrouter/meta-llama/llama-4", Some("open-weights")),
        ("scripted/echo", None),
        ("", None),
    ];
    for (model, expected) in cases {
        assert_eq!(
            profiles
                .for_model(model)
                .map(|profile| profile.name.as_str()),
            expected,
            "{model}"
        );
    }
}

#[test]
fn user_profiles_take_precedence() {
    let text = "profiles:\n  - {name: mine, models: ['acme/*', '*-opus-*'], drivers: [exact-format]}\n  - {name: gpt, models: [], drivers: []}\n";
    let folder = folder(&[("profiles.yaml", text)]);
    let profiles = Profiles::bundled()
        .with_file(&folder.path().join("profiles.yaml"))
        .unwrap();
    let names: Vec<&str> = profiles
        .iter()
        .map(|profile| profile.name.as_str())
        .collect();
    assert_eq!(names, ["mine", "gpt", "claude", "gemini", "open-weights"]);
    let cases = [
        ("anthropic/claude-opus-9", Some("mine")),
        ("anthropic/claude-haiku", Some("claude")),
        ("openai/gpt-5", None),
    ];
    for (model, expected) in cases {
        assert_eq!(
            profiles
                .for_model(model)
                .map(|profile| profile.name.as_str()),
            expected,
            "{model}"
        );
    }
    assert_eq!(profiles.by_name("mine").unwrap().drivers, ["exact-format"]);
    let error = profiles.by_name("mime").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown profile `mime`; did you mean `mine`?"
    );
    let error = profiles.by_name("zzz").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown profile `zzz`; known: mine, gpt, claude, gemini, open-weights"
    );
}

#[test]
fn explains_invalid_profile_files() {
    let good = "profiles:\n  - name: a\n    models: ['x*']\n    drivers: []\n";
    let cases = [
        (
            good.replace("name: a", "name: ''"),
            "DIR/p.yaml: field `profiles[0].name`: expected a name",
        ),
        (
            format!("{good}{}", good.replace("profiles:\n", "")),
            "DIR/p.yaml: field `profiles[1].name`: duplicate `a`",
        ),
        (
            good.replace("x*", "x["),
            "DIR/p.yaml: field `profiles[0].models`: error parsing glob 'x[': unclosed character class; missing ']'",
        ),
        (
            good.replace("drivers", "driver"),
            "DIR/p.yaml:4: unknown field `driver`, expected one of name, models, drivers, near `driver: []`",
        ),
        (
            good.replace("['x*']", "x*"),
            "DIR/p.yaml:3: expected sequence start, near `models: x*`",
        ),
        (String::new(), "DIR/p.yaml:1: unexpected end of file"),
    ];
    for (text, expected) in cases {
        let folder = folder(&[("p.yaml", &text)]);
        let error = Profiles::bundled()
            .with_file(&folder.path().join("p.yaml"))
            .unwrap_err();
        assert_eq!(message(&error, folder.path()), expected, "{text}");
    }
}
