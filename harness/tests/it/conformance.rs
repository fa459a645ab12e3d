//! Conformance suite of prompt definitions: `tests/conformance/NAME.expected.json` contains the
//! expected result of `NAME.case.yaml`. `CONFORMANCE_UPDATE=1` rewrites the expected files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use harness::prompt::ActionOverrides;
use harness::prompt::definition::{Fault, Known, Library, fence_untrusted};
use harness::tool::{Tool, ToolError, ToolRegistry, ToolScope};
use harness::{ToolResolver, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tools::resolver;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Requirements of the specification that the case covers, such as `2.4.1`.
    covers: Vec<String>,
    /// Purpose of the case.
    about: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Definitions in TypeScript. The case is repeated with them instead of the files with the same
    /// names, and must have the same result.
    #[serde(default)]
    typescript: BTreeMap<String, String>,
    #[serde(default)]
    known: KnownNames,
    /// Definition to resolve; `None` if the case expects only faults.
    #[serde(default)]
    prompt: Option<String>,
    /// Inputs to validate against the schema of the definition.
    #[serde(default)]
    inputs: Vec<Value>,
    /// Texts to fence.
    #[serde(default)]
    untrusted: Vec<Untrusted>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownNames {
    #[serde(default)]
    models: Vec<String>,
    #[serde(default)]
    tools: BTreeMap<String, HostTool>,
    #[serde(default)]
    hooks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostTool {
    description: String,
    parameters: Value,
    #[serde(default)]
    variables: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Untrusted {
    label: String,
    text: String,
}

/// A tool that the tests describe but never call.
struct Described(ToolSpec);

impl HostTool {
    fn named(&self, name: &str) -> Described {
        Described(ToolSpec {
            name: name.to_owned(),
            description: self.description.clone(),
            parameters: self.parameters.clone(),
        })
    }
}

#[async_trait]
impl Tool for Described {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: Value, _: &ToolScope) -> Result<Value, ToolError> {
        Err(ToolError("this tool has only a description".to_owned()))
    }
}

/// Requirements of the specification that need a case in this suite.
const REQUIREMENTS: [&str; 24] = [
    "1.1",
    "1.2",
    "2.1 secrets",
    "2.1 untrusted",
    "2.2",
    "2.4.1",
    "2.4.2",
    "2.4.3",
    "2.4.4",
    "3.1",
    "3.2",
    "3.3",
    "4.1",
    "5.2.1",
    "5.2.2",
    "5.2.3",
    "6",
    "9.1.1",
    "9.1.2",
    "9.1.3",
    "9.1.4",
    "9.2.1",
    "9.2.2",
    "9.2.3",
];

#[test]
fn conforms_to_specification() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let update = std::env::var_os("CONFORMANCE_UPDATE").is_some();
    let mut covered = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the suite")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".case.yaml") else {
            continue;
        };
        let text = fs::read_to_string(&path).expect("a case");
        let case: Case =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!case.about.trim().is_empty(), "{name}: `about` is empty");
        let actual = run(&case, &case.files);
        if !case.typescript.is_empty() {
            let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
            let mut files = case.files.clone();
            for (name, text) in &case.typescript {
                files.retain(|other, _| stem(other) != stem(name));
                files.insert(name.clone(), text.clone());
            }
            let same = run(&case, &files);
            assert_eq!(same, actual, "{name}: the definition in TypeScript");
        }
        covered.extend(case.covers);
        let expected = folder.join(format!("{stem}.expected.json"));
        if update {
            let mut json = serde_json::to_string_pretty(&actual).expect("JSON");
            json.push('\n');
            fs::write(&expected, json).expect("written");
        }
        let expected: Value = fs::read_to_string(&expected)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        if actual != expected {
            wrong.push(format!("{name}: {actual:#}\nexpected {expected:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let missing: Vec<_> = REQUIREMENTS
        .into_iter()
        .filter(|requirement| !covered.contains(*requirement))
        .collect();
    assert_eq!(missing, [""; 0], "requirements without a case");
}

fn run(case: &Case, files: &BTreeMap<String, String>) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let fenced: Vec<_> = case
        .untrusted
        .iter()
        .map(|untrusted| fence_untrusted(&untrusted.label, &untrusted.text))
        .collect();
    if !fenced.is_empty() {
        return json!({"fenced": fenced});
    }
    let library = match Library::bundled().with_dir(folder.path()) {
        Ok(library) => library,
        Err(found) => return faults(&found.0, folder.path()),
    };
    let known = Known {
        models: case.known.models.clone(),
        model_prefixes: Vec::new(),
        tools: case
            .known
            .tools
            .iter()
            .map(|(name, tool)| (name.clone(), tool.variables.clone()))
            .collect(),
        hooks: case.known.hooks.clone(),
    };
    let found = library.check(&known);
    if !found.is_empty() {
        return faults(&found, folder.path());
    }
    let Some(name) = &case.prompt else {
        return json!({"faults": []});
    };
    let definition = library.get(name).expect("the prompt of the case");
    let mut registry = ToolRegistry::default();
    let mut given = BTreeMap::new();
    for (name, tool) in &case.known.tools {
        given.extend(
            tool.variables
                .iter()
                .map(|name| (name.clone(), "value".to_owned())),
        );
        registry.add(Arc::new(tool.named(name))).expect("a tool");
    }
    given.extend(
        definition
            .variables
            .iter()
            .map(|known| (known.name.clone(), "value".to_owned())),
    );
    let resolver = ToolResolver {
        given: &given,
        ..resolver(&registry, &library)
    };
    let tools = match resolver.of_definition(definition) {
        Ok(tools) => tools,
        Err(found) => {
            let mut refused = faults(&found.0, folder.path());
            refused["definition"] = definition.to_json();
            return refused;
        }
    };
    let tools: Vec<_> = tools
        .root
        .offered(&ActionOverrides::default())
        .into_iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            })
        })
        .collect();
    let mut result = json!({
        "definition": definition.to_json(),
        "system": library.resolve(definition).expect("checked").text(),
        "tools": tools,
    });
    let inputs: Vec<_> = case
        .inputs
        .iter()
        .map(|input| {
            let schema = definition.required_schema.as_ref().expect("a schema");
            match schema.accept(input.clone()) {
                Ok(accepted) => json!({"accepted": accepted}),
                Err(faults) => {
                    let faults: Vec<_> = faults
                        .iter()
                        .map(|fault| json!({"field": fault.field, "problem": fault.problem}))
                        .collect();
                    json!({"faults": faults})
                }
            }
        })
        .collect();
    if !inputs.is_empty() {
        result["inputs"] = json!(inputs);
    }
    result
}

fn faults(faults: &[Fault], folder: &Path) -> Value {
    let folder = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    let faults: Vec<_> = faults
        .iter()
        .map(|fault| {
            let mut json = json!({
                "file": fault.place.file.replace(&folder, ""),
                "line": fault.place.line,
                "field": fault.place.field,
                "problem": fault.problem.replace(&folder, ""),
            });
            if !fault.includes.is_empty() {
                json["includes"] = json!(fault.includes);
            }
            json
        })
        .collect();
    json!({"faults": faults})
}
