//! The bundled tool `run_javascript` for agents without a REPL. Each call runs code in a new
//! sandbox session.

use std::sync::Arc;

use async_trait::async_trait;
use sandbox::message::Context;
use serde_json::{Value, json};

use super::sandbox::{ToolSandbox, finish};
use super::{Tool, ToolError, ToolScope, bundled_spec};
use crate::model::ToolSpec;

struct RunJavascript {
    spec: ToolSpec,
    sandbox: Arc<ToolSandbox>,
}

pub(super) fn tool(sandbox: &Arc<ToolSandbox>) -> Arc<dyn Tool> {
    Arc::new(RunJavascript {
        spec: bundled_spec(include_str!("../../tools/run_javascript.json")),
        sandbox: Arc::clone(sandbox),
    })
}

#[async_trait]
impl Tool for RunJavascript {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
        let code = arguments["code"].as_str().unwrap_or_default();
        let context = Context::Text(Arc::clone(&scope.context));
        let mut repl = self.sandbox.open(context).await.map_err(ToolError)?;
        let outcome = finish(&mut repl, code, 1).await.map_err(ToolError)?;
        Ok(json!({
            "output": outcome.output,
            "returned": outcome.value,
            "error": outcome.error.map(|error| error.message),
        }))
    }
}
