//! Parsing of model aliases, and errors for invalid ones.

use harness::prompt::{ModelAlias, parse_aliases};

const FORM: &str = "expected ALIAS=PROVIDER/MODEL or ALIAS=PROVIDER/MODEL:TAG,TAG; a model name that contains \
                    a colon must be followed by another colon";

#[test]
fn parses_aliases() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("fast=openai/gpt-x", "fast", "openai/gpt-x", &[]),
        (
            "fast=openai/gpt-x:cheap,quick",
            "fast",
            "openai/gpt-x",
            &["cheap", "quick"],
        ),
        (
            "fast=openai/gpt-x:cheap, quick",
            "fast",
            "openai/gpt-x",
            &["cheap", "quick"],
        ),
        (
            "a-1.b_c=openrouter/acme/m@2=x",
            "a-1.b_c",
            "openrouter/acme/m@2=x",
            &[],
        ),
        // Model names with a colon.
        ("l=ollama/llama3:8b:", "l", "ollama/llama3:8b", &[]),
        (
            "l=ollama/llama3:8b:cheap",
            "l",
            "ollama/llama3:8b",
            &["cheap"],
        ),
        ("l=p/m::", "l", "p/m:", &[]),
        // File names, with and without a folder.
        ("f=scripted:a.yaml", "f", "scripted:a.yaml", &[]),
        ("f=scripted:./b/a.yaml", "f", "scripted:./b/a.yaml", &[]),
        ("f=scripted:b/a.yaml:x", "f", "scripted:b/a.yaml", &["x"]),
        ("f=replay:a:", "f", "replay:a", &[]),
    ];
    for (spec, alias, model, tags) in cases {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let expected = ModelAlias {
            alias: (*alias).to_owned(),
            model: (*model).to_owned(),
            tags,
        };
        assert_eq!(spec.parse::<ModelAlias>().unwrap(), expected, "{spec}");
    }
}

#[test]
fn explains_invalid_aliases() {
    let alias = |text: &str| {
        format!("invalid alias `{text}`: expected a letter, then letters, digits, `.`, `_` or `-`")
    };
    let model = |text: &str| format!("the model `{text}` is not of the form PROVIDER/MODEL");
    let tag = |text: &str| {
        format!("invalid tag `{text}`: expected a letter, then letters, digits, `.`, `_` or `-`")
    };
    let cases = [
        ("", "no `=`".to_owned()),
        ("openai/gpt-x", "no `=`".to_owned()),
        ("=p/m", alias("")),
        ("1=p/m", alias("1")),
        ("a b=p/m", alias("a b")),
        ("a|b=p/m", alias("a|b")),
        ("a=", model("")),
        ("a=m", model("m")),
        ("a=/m", model("/m")),
        ("a=p/", model("p/")),
        ("a=p/:fast", model("p/")),
        (
            "a=p/q:8080/m",
            "unexpected colon before the model's last `/`".to_owned(),
        ),
        ("a=p/m|x", "the model's name contains '|'".to_owned()),
        ("a=p/m x", "the model's name contains ' '".to_owned()),
        (
            "a=p/m\n## Drivers",
            "the model's name contains '\\n'".to_owned(),
        ),
        ("a=ollama/llama3:8b", tag("8b")),
        ("a=p/m:x,", tag("")),
        ("a=p/m:x|y", tag("x|y")),
    ];
    for (spec, problem) in cases {
        let error = spec.parse::<ModelAlias>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("model alias `{spec}`: {problem}; {FORM}")
        );
    }
}

#[test]
fn rejects_duplicate_aliases() {
    assert_eq!(parse_aliases(&["a=p/m", "b=p/m"]).unwrap().len(), 2);
    assert_eq!(parse_aliases::<&str>(&[]).unwrap(), []);
    let error = parse_aliases(&["a=p/m", "b=p/m", "a=p/n:x"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "model alias `a` is given twice, for `p/m` and `p/n`"
    );
}
