//! Tools that answer by rule.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use async_trait::async_trait;
use mcp::{Caller, Reply, ToolInfo, Toolbox};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

/// Time after which a test that waits is considered hung.
pub const HUNG: Duration = Duration::from_secs(60);

/// Something that happens to a call.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// A tool began to work for this client.
    Began { tool: String, client: String },
    /// The call was stopped before it ended.
    Stopped,
}

/// Tools: `echo` repeats its `text` in two steps, `wait` ends when it is released, `refuse` rejects
/// its arguments, and `fail` fails.
pub struct Rules {
    tools: Vec<ToolInfo>,
    events: Sender<Event>,
    /// Permits for waiting calls to end.
    gate: Semaphore,
}

/// What happens to the calls of a toolbox.
pub struct Events(Receiver<Event>);

impl Events {
    pub fn next(&self) -> Event {
        self.0.recv_timeout(HUNG).expect("an event")
    }

    /// Asserts that the next event is the beginning of a call.
    pub fn begun(&self, tool: &str, client: &str) {
        let (tool, client) = (tool.to_owned(), client.to_owned());
        assert_eq!(self.next(), Event::Began { tool, client });
    }

    /// Returns the events that have not been returned yet.
    pub fn rest(&self) -> Vec<Event> {
        self.0.try_iter().collect()
    }
}

impl Rules {
    pub fn new() -> (Arc<Self>, Events) {
        let (events, received) = channel();
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
        let rules = Self {
            tools: ["echo", "wait", "refuse", "fail"].map(tool).into(),
            events,
            gate: Semaphore::new(0),
        };
        (Arc::new(rules), Events(received))
    }

    /// Lets one waiting call end.
    pub fn release(&self) {
        self.gate.add_permits(1);
    }
}

/// Reports that a call was stopped, unless `has_ended` is set before.
struct Stop<'a> {
    events: &'a Sender<Event>,
    has_ended: bool,
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = self.events.send(Event::Stopped);
        }
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
        let _ = self.events.send(Event::Began {
            tool: tool.to_owned(),
            client: caller.client.name().to_owned(),
        });
        let mut stop = Stop {
            events: &self.events,
            has_ended: false,
        };
        (caller.report)(format!("{tool}: begins"));
        if tool == "wait" {
            self.gate.acquire().await.unwrap().forget();
        }
        (caller.report)(format!("{tool}: ends"));
        stop.has_ended = true;
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
