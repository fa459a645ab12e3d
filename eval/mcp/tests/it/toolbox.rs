//! Tools that answer by rule.

use std::sync::Arc;

use async_trait::async_trait;
use http_fixture::{Events, Gate};
use mcp::{Caller, Reply, ToolInfo, Toolbox};
use serde_json::{Map, Value, json};

/// Tool and client of a call that began.
#[derive(Debug, PartialEq, Eq)]
pub struct CallStart {
    tool: String,
    client: String,
}

impl CallStart {
    pub fn of(tool: &str, client: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            client: client.to_owned(),
        }
    }
}

/// Tools: `echo` repeats its `text` in two steps, `wait` ends when it is released, `refuse` rejects
/// its arguments, and `fail` fails.
pub struct Rules {
    tools: Vec<ToolInfo>,
    pub gate: Gate<CallStart>,
}

impl Rules {
    pub fn new() -> (Arc<Self>, Events<CallStart>) {
        let (gate, events) = Gate::new();
        let object = |properties: Value| {
            let schema = json!({"type": "object", "properties": properties});
            schema.as_object().unwrap().clone()
        };
        let tool = |name: &'static str| ToolInfo {
            name,
            title: format!("Title of {name}"),
            description: format!("Description of {name}"),
            input_schema: object(json!({"text": {"type": "string"}})),
            output_schema: object(json!({"said": {"type": "string"}})),
            is_read_only: name == "echo",
        };
        let tools = ["echo", "wait", "refuse", "fail"].map(tool).into();
        (Arc::new(Self { tools, gate }), events)
    }
}

#[async_trait]
impl Toolbox for Rules {
    fn instructions(&self) -> &'static str {
        "Use echo."
    }

    fn tools(&self) -> &[ToolInfo] {
        &self.tools
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Reply, String> {
        let work = self.gate.begin(CallStart::of(tool, &caller.client.name));
        (caller.report)(format!("{tool}: begins"));
        if tool == "wait" {
            work.wait().await;
        }
        (caller.report)(format!("{tool}: ends"));
        work.end();
        if tool == "refuse" {
            return Err("missing field `text`".to_owned());
        }
        let text = arguments.get("text").and_then(Value::as_str);
        let text = text.unwrap_or_default().to_owned();
        Ok(Reply {
            structured: json!({"said": text}),
            text,
            is_error: tool == "fail",
        })
    }
}
