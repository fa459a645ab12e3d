//! Bundled tools and script tools, called in the same way as by agents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use harness::hook::HookRegistry;
use harness::prompt::ActionOverrides;
use harness::prompt::definition::Library;
use harness::sandbox::Isolation;
use harness::tool::{
    BoundTool, ScriptError, Tool, ToolError, ToolRegistry, ToolSandbox, ToolScope, ToolSet,
    ToolSetError, Values, script_tools,
};
use harness::{AgentTools, ToolResolver, ToolSpec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Prefix of the value of the secret variable `KEY`.
pub const CANARY: &str = "sk-canary-";

const KEY: &str = "sk-canary-\"1\"";

/// Returns the path of a folder in `tests/it/tools`.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/tools")
        .join(name)
}

async fn registry() -> ToolRegistry {
    let sandbox = Arc::new(ToolSandbox::new(Isolation::Thread));
    let mut registry = ToolRegistry::with_host_tools(&sandbox);
    for tool in script_tools(&folder("scripts"), &sandbox).await.unwrap() {
        registry.add(tool).unwrap();
    }
    registry
}

/// Returns a resolver without values of variables and without attachments.
pub fn resolver<'a>(registry: &'a ToolRegistry, library: &'a Library) -> ToolResolver<'a> {
    static NO_VALUES: BTreeMap<String, String> = BTreeMap::new();
    ToolResolver {
        registry,
        library,
        given: &NO_VALUES,
        process: &NO_VALUES,
        files: None,
    }
}

/// Returns the tools with these names, or those of a definition. Names with a dot become page
/// tools, which return their arguments. The variable `KEY` is set for all tools.
pub async fn tools(names: &[String], definition: Option<&str>) -> AgentTools {
    let registry = registry().await;
    let library = Library::bundled().with_dir(&folder("prompts")).unwrap();
    let given = BTreeMap::from([("KEY".to_owned(), KEY.to_owned())]);
    let files = folder("files");
    let resolver = ToolResolver {
        given: &given,
        files: Some(&files),
        ..resolver(&registry, &library)
    };
    let (of_page, of_run): (Vec<String>, Vec<String>) =
        names.iter().cloned().partition(|name| name.contains('.'));
    let of_page = echoes(of_page.iter().map(String::as_str)).unwrap();
    let mut tools = match definition {
        Some(name) => resolver.of_definition(library.get(name).unwrap()).unwrap(),
        None => resolver.of_names(&of_run, "the case").unwrap(),
    };
    tools.root = tools.root.under(&of_page);
    tools
        .with_settings(&library, &HookRegistry::bundled())
        .unwrap()
}

#[tokio::test]
async fn reports_all_invalid_tools_of_definition() {
    let registry = registry().await;
    let library = Library::bundled().with_dir(&folder("prompts")).unwrap();
    let resolver = resolver(&registry, &library);
    let mut told = String::new();
    for name in ["wrong", "counter"] {
        let faults = resolver.of_definition(library.get(name).unwrap()).err();
        told.push_str(&faults.unwrap().to_string());
        told.push('\n');
    }
    let names = ["word_cont".to_owned(), "summarize".to_owned()];
    told.push_str(
        &resolver
            .of_names(&names, "--tools")
            .err()
            .unwrap()
            .to_string(),
    );
    insta::assert_snapshot!(told.replace(&folder("prompts").display().to_string(), "PROMPTS"));
}

#[tokio::test]
async fn variants_of_an_agent_get_their_callers_values() {
    let agent = |name: &str, more: &str| {
        let variable = "{name: REGION, type: text, required: false, description: where}";
        format!(
            "name: {name}\ntoolDescription: Works\nmodel: default\nprompt: You work.\n\
             variables: [{variable}]\n{more}\n"
        )
    };
    let scoped = |name: &str| format!("{{name: {name}, immediate: {{scopedEnv: [REGION]}}}}");
    let writer = scoped("writer");
    let head = format!("env: {{REGION: eu}}\ntools: [{writer}, desk]");
    let files = [
        ("head.yaml", agent("head", &head)),
        (
            "desk.yaml",
            agent("desk", &format!("env: {{REGION: us}}\ntools: [{writer}]")),
        ),
        (
            "writer.yaml",
            agent("writer", &format!("tools: [{}]", scoped("archivist"))),
        ),
        ("archivist.yaml", agent("archivist", "tools: [region]")),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let prompts = crate::prompt_drivers::folder(&files);
    let registry = registry().await;
    let library = Library::bundled().with_dir(prompts.path()).unwrap();
    let resolver = resolver(&registry, &library);
    let tools = resolver
        .of_definition(library.get("head").unwrap())
        .unwrap();
    // A digest covers the values of the agent's tools.
    let agents = tools.specialists.values();
    let archivists = agents.filter(|agent| agent.name == "archivist");
    let digests: BTreeSet<String> = archivists.map(|agent| agent.digest()).collect();
    assert_eq!(digests.len(), 2);
}

fn echoes<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<ToolSet, ToolSetError> {
    ToolSet::of_tools(
        names
            .into_iter()
            .map(|name| Arc::new(Echo::new(name)) as Arc<dyn Tool>),
    )
}

/// Page tool that returns its arguments.
struct Echo(ToolSpec);

impl Echo {
    fn new(name: &str) -> Self {
        Self(ToolSpec {
            name: name.to_owned(),
            description: "Tells how\nit was called.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "url": { "type": "string", "description": "where to" },
                    "tags": { "type": "array", "items": { "enum": ["a", 1] }, "default": [] },
                    "more": { "type": "object", "properties": { "deep": { "type": ["string", "null"] } } },
                },
                "required": ["url"],
            }),
        })
    }
}

#[async_trait]
impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
        Ok(json!({ "arguments": arguments, "by": scope.invocation }))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    tool: String,
    arguments: Value,
    #[serde(default)]
    result: Value,
    error: Option<String>,
}

#[tokio::test]
async fn calls_return_expected_results() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("tools/calls.json")).unwrap();
    let registry = registry().await;
    let scope = ToolScope {
        context: "Grüße: a needle, a NEEDLE and a needle.".to_owned().into(),
        env: [
            ("KEY", KEY.to_owned()),
            ("FILES_DIR", folder("files").display().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        ..ToolScope::default()
    };
    for row in rows {
        let result = call(&registry, &row, &scope).await;
        let expected = row.error.clone().map_or(Ok(row.result), Err);
        let result = result.map_err(|error| error.to_string());
        assert_eq!(result, expected, "{}({})", row.tool, row.arguments);
    }
}

async fn call(registry: &ToolRegistry, row: &Row, scope: &ToolScope) -> Result<Value, ToolError> {
    let tool = registry
        .get(&row.tool)
        .map_err(|error| ToolError(error.to_string()))?;
    let given = BoundTool::tool(Arc::clone(&tool), Values::default(), Map::new()).unwrap();
    let arguments = given.accept(&row.tool, &row.arguments.to_string())?;
    tool.call(arguments, scope).await
}

#[tokio::test]
async fn rejects_invalid_tool_files() {
    let sandbox = Arc::new(ToolSandbox::new(Isolation::Thread));
    let mut told = String::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder("broken"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let alone = tempfile::tempdir().unwrap();
        std::fs::copy(&file, alone.path().join(file.file_name().unwrap())).unwrap();
        let error: ScriptError = script_tools(alone.path(), &sandbox).await.err().unwrap();
        told.push_str(
            &error
                .to_string()
                .replace(&alone.path().display().to_string(), "FOLDER"),
        );
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn bundled_and_script_tools_do_not_collide() {
    let registry = registry().await;
    let given = registry.all().map(Arc::clone);
    let tool_set = ToolSet::of_tools(given).unwrap();
    let names: Vec<String> = tool_set
        .offered(&ActionOverrides::default())
        .into_iter()
        .map(|spec| spec.name)
        .collect();
    let expected = "context_length leak list_files read_context read_file region run_javascript search_context search_files slow word_count";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn overlaid_tools_replace_colliding_ones() {
    let names = |names: &str| echoes(names.split_whitespace());
    for (run, task, expected) in [
        ("a b", "c", "a b c"),
        ("a b", "b", "a b"),
        ("page.open x", "page", "x page"),
        ("page x", "page.open", "x page.open"),
        ("page_open x", "page.open", "x page.open"),
    ] {
        let both = names(run).unwrap().under(&names(task).unwrap());
        let both: Vec<&str> = both
            .iter()
            .map(|given| given.spec().name.as_str())
            .collect();
        assert_eq!(both.join(" "), expected, "{run} under {task}");
    }
    for wrong in [
        "a a",
        "page.open page",
        "page.open page_open",
        "rlm",
        "Map",
        "a.b.c",
    ] {
        assert!(names(wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn documented_example_works() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples");
    let sandbox = Arc::new(ToolSandbox::new(Isolation::Thread));
    let mut registry = ToolRegistry::default();
    for tool in script_tools(&examples.join("tools"), &sandbox)
        .await
        .unwrap()
    {
        registry.add(tool).unwrap();
    }
    let library = Library::bundled()
        .with_dir(&examples.join("prompts"))
        .unwrap();
    let resolver = resolver(&registry, &library);
    let tools = resolver
        .of_definition(library.get("parcel_desk").unwrap())
        .unwrap();
    let names: Vec<String> = tools
        .root
        .specs()
        .into_iter()
        .map(|spec| spec.name)
        .collect();
    assert_eq!(names, ["shipping_cost", "polite"]);
    assert_eq!(tools.specialists.len(), 1);
    let tool = registry.get("shipping_cost").unwrap();
    for (discount, expected) in [("", 12.6), ("50", 6.3)] {
        let scope = ToolScope {
            env: BTreeMap::from([("DISCOUNT".to_owned(), discount.to_owned())]),
            ..ToolScope::default()
        };
        let arguments = json!({ "kilograms": 3, "zone": "europe" });
        let result = tool.call(arguments, &scope).await.unwrap();
        assert_eq!(
            result,
            json!({ "zone": "europe", "price": expected }),
            "{discount}"
        );
    }
}
