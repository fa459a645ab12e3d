//! The tools protocol: an agent calls native tools until it replies without a call.

mod text_call;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use futures::channel::mpsc::UnboundedSender;
use futures::future::{BoxFuture, try_join_all};
use parking_lot::Mutex;

use crate::agent::{
    AgentBehavior, AgentSettings, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep,
    Treatment, Turn, run_turns,
};
use crate::hook::HookError;
use crate::model::{Message, Status, ToolCall, ToolChoice, ToolResult, ToolUse};
use crate::prompt::definition::ToolStrategy;
use crate::prompt::sections::{
    TURN_TOOLS, TURN_TOOLS_CUT_OFF, TURN_TOOLS_EMPTY, TURN_TOOLS_IN_TEXT, TURN_TOOLS_LAST,
    TURN_TOOLS_REQUIRED,
};
use crate::prompt::{ActionOverrides, flat_message, output_left_out};
use crate::protocol::ProtocolBehavior;
use crate::protocol::background::Background;
use crate::protocol::tool_run::{BackgroundPart, Created, ToolRun, text_of};
use crate::text::truncate_middle;
use crate::tool::{ToolRegistry, ToolSet};

pub(super) struct Tools;

#[async_trait]
impl ProtocolBehavior for Tools {
    /// Adds the tools for reading long contexts, even if the context is short.
    fn tools(&self, of_run: &ToolSet) -> ToolSet {
        let bundled = ToolRegistry::bundled();
        let missing = CONTEXT_TOOLS
            .iter()
            .filter(|name| of_run.get(name).is_err())
            .filter_map(|name| bundled.get(name).ok());
        // These tools do not collide with each other. If a tool of the run has the same name, it
        // takes precedence.
        let readers = ToolSet::of_tools(missing).unwrap_or_default();
        readers.under(of_run)
    }

    fn offers(&self, treatment: &Treatment, tools: &ToolSet) -> ToolUse {
        offered(&treatment.root, &treatment.overrides.actions, tools)
    }

    fn required_call(&self, treatment: &Treatment) -> ToolChoice {
        choice(&treatment.root)
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        ToolsAgent::of_root(attempt, root).open(conversation);
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        ToolsAgent::of_root(attempt, root).run().await
    }
}

/// Returns the native tools in requests of an agent with these settings.
pub(crate) fn offered(
    settings: &AgentSettings,
    actions: &ActionOverrides,
    tools: &ToolSet,
) -> ToolUse {
    ToolUse {
        specs: tools.offered(actions).into(),
        choice: choice(settings),
        parallel: settings.parallel_tool_calls,
    }
}

fn choice(settings: &AgentSettings) -> ToolChoice {
    match settings.tool_choice {
        ToolStrategy::Auto => ToolChoice::Auto,
        ToolStrategy::None => ToolChoice::None,
        ToolStrategy::Required => ToolChoice::Required,
    }
}

/// Maximum characters of a context in the first message. The agent reads longer contexts with
/// tools.
const INLINE_CONTEXT: usize = 20_000;

/// Tools for reading a context that is not in the first message.
const CONTEXT_TOOLS: [&str; 3] = ["context_length", "read_context", "search_context"];

/// Maximum retries after replies without a required tool call, and after consecutive replies with a
/// tool call in their text.
const RETRIES: u32 = 2;

/// Running agent with native tools.
pub(crate) struct ToolsAgent<'a> {
    attempt: &'a Attempt<'a>,
    /// Invocation of the agent, with the tools to read its context.
    invocation: Invocation,
    settings: &'a AgentSettings,
    context: Arc<String>,
    /// Initial messages of a child; `None` for the root.
    shown: Option<Vec<Message>>,
    /// Number of children created so far.
    children: AtomicU32,
    /// Number of replies without a required call.
    refusals: u32,
    /// Number of consecutive replies with a tool call in their text.
    calls_in_text: u32,
    /// Agents that run in the background.
    background: Mutex<Background<'a>>,
    /// Passes new instances to `background` while tool calls are running.
    creating: UnboundedSender<BoxFuture<'a, ()>>,
    /// Agents started by current calls. They move to `background` when all calls are done.
    starting: Mutex<Vec<Starting<'a>>>,
}

/// Agent id and its work.
type Starting<'a> = (String, BoxFuture<'a, Result<String, String>>);

impl<'a> ToolsAgent<'a> {
    /// Creates the root. It gets tools to read a context that is not in the first message.
    fn of_root(attempt: &'a Attempt<'a>, root: &'a Invocation) -> Self {
        let settings = attempt.settings(root);
        let context = Arc::clone(&attempt.task.context);
        let mut invocation = root.clone();
        if !is_context_inline(&context, settings) {
            invocation.plan.tools = Tools.tools(&root.plan.tools);
        }
        Self {
            invocation,
            context,
            shown: None,
            ..Self::of_child(attempt, root, Vec::new())
        }
    }

    /// Creates a child with these initial messages.
    pub fn of_child(attempt: &'a Attempt<'a>, child: &'a Invocation, shown: Vec<Message>) -> Self {
        let background = Background::default();
        Self {
            attempt,
            invocation: child.clone(),
            settings: attempt.settings(child),
            context: Arc::default(),
            shown: Some(shown),
            children: AtomicU32::new(0),
            refusals: 0,
            calls_in_text: 0,
            creating: background.creating(),
            background: Mutex::new(background),
            starting: Mutex::default(),
        }
    }

    /// Runs the agent until it answers or fails.
    pub fn run(mut self) -> BoxFuture<'a, Result<String, Failure>> {
        Box::pin(async move {
            let invocation = self.invocation.clone();
            run_turns(self.attempt, &invocation, &mut self).await
        })
    }

    /// Returns a result for every call of a response.
    async fn results(&self, reply: &ModelReply) -> Result<Vec<ToolResult>, HookError> {
        let calls = &reply.response.tool_calls;
        if reply.truncated {
            let cut = "error: the response was cut off, so this call was not made";
            let results = calls
                .iter()
                .map(|call| ToolResult {
                    call: call.id.clone(),
                    content: cut.to_owned(),
                    is_error: true,
                })
                .collect();
            return Ok(results);
        }
        if self.settings.parallel_tool_calls {
            return try_join_all(calls.iter().map(|call| self.answer(call))).await;
        }
        if calls.len() > 1 {
            self.attempt.records.count_fault();
        }
        let mut results = Vec::new();
        for call in calls {
            results.push(self.answer(call).await?);
        }
        Ok(results)
    }

    /// Runs one call, and returns its result.
    async fn answer(&self, call: &ToolCall) -> Result<ToolResult, HookError> {
        let counts = u32::from(self.invocation.plan.tools.makes_child(&call.name));
        let number = self.children.fetch_add(counts, Ordering::Relaxed);
        let run = ToolRun::new(call.clone(), self.invocation.child_id(number));
        let outcome = match self.attempt.start_background_part(&self.invocation, &run) {
            Some(Ok(BackgroundPart::Answer { child, shown, work })) => {
                self.starting.lock().push((child, work));
                return Ok(ToolResult {
                    call: call.id.clone(),
                    content: shown,
                    is_error: false,
                });
            }
            Some(Ok(BackgroundPart::Agent(Created { value, serving }))) => {
                // The receiver is polled while this call is awaited, so the instance is running
                // before the next call.
                let _ = self.creating.unbounded_send(serving);
                Ok(value)
            }
            Some(Err(error)) => Err(error),
            None => {
                let running = self.attempt.tool_result(&self.invocation, &run);
                self.attempt.meter.during(running).await
            }
        };
        let content = match &outcome {
            Ok(value) => text_of(value),
            Err(error) => format!("error: {error}"),
        };
        let limit = self.attempt.run.treatment.repl.output_limit;
        let result = ToolResult {
            call: call.id.clone(),
            content: truncate_middle(&content, limit),
            is_error: outcome.is_err(),
        };
        let hooked = self
            .attempt
            .hook_tool_result(&self.invocation, call, result);
        let result = hooked.await?;
        let shown = result.content.clone();
        let shown = outcome.map(|_| shown.clone()).map_err(|_| shown);
        self.attempt.record_tool(&self.invocation, run, shown);
        Ok(result)
    }

    /// Runs all calls of a reply while background agents continue.
    async fn run_calls_with_background(
        &mut self,
        reply: &ModelReply,
    ) -> Result<Vec<ToolResult>, HookError> {
        let mut background = std::mem::take(self.background.get_mut());
        let results = background.run_background_while(self.results(reply)).await;
        for (id, work) in self.starting.get_mut().drain(..) {
            background.start(id, work);
        }
        *self.background.get_mut() = background;
        results
    }

    fn start_immediate(&mut self) {
        let children = &self.children;
        let caller = &self.invocation;
        let next_id = || caller.child_id(children.fetch_add(1, Ordering::Relaxed));
        let background = self.background.get_mut();
        self.attempt.start_immediate(caller, next_id, background);
    }

    /// Classifies a reply, and counts its faults.
    fn read(&mut self, reply: &ModelReply, tools: &ToolUse) -> Result<Read, Failure> {
        let text = &reply.response.text;
        let must_call = tools.choice == ToolChoice::Required;
        if !reply.truncated && !reply.response.tool_calls.is_empty() {
            self.calls_in_text = 0;
            return Ok(Read::Calls);
        }
        if !reply.truncated && !tools.is_off() && text_call::has_call(text, &tools.specs) {
            self.attempt.records.count_fault();
            self.calls_in_text += 1;
            if self.calls_in_text > RETRIES {
                return Err(calls_in_text(self.calls_in_text));
            }
            return Ok(Read::Fault(TURN_TOOLS_IN_TEXT.render([])));
        }
        self.calls_in_text = 0;
        if !reply.truncated && !must_call && !text.trim().is_empty() {
            return Ok(Read::Answer(text.clone()));
        }
        self.attempt.records.count_fault();
        Ok(Read::Fault(if reply.truncated {
            TURN_TOOLS_CUT_OFF.render([])
        } else if must_call {
            self.refusals += 1;
            if self.refusals > RETRIES {
                return Err(no_call(self.refusals));
            }
            TURN_TOOLS_REQUIRED.render([])
        } else {
            TURN_TOOLS_EMPTY.render([])
        }))
    }
}

impl AgentBehavior for ToolsAgent<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        let treatment = &self.attempt.run.treatment;
        self.start_immediate();
        if let Some(mut shown) = self.shown.take() {
            if let Some(last) = shown.last_mut() {
                last.content += &self.background.get_mut().take_notes();
            }
            let actions = ActionOverrides::default();
            conversation.tools = offered(self.settings, &actions, &self.invocation.plan.tools);
            for message in shown {
                conversation.push(message);
            }
            return;
        }
        conversation.tools = Tools.offers(treatment, &self.invocation.plan.tools);
        let query = &self.invocation.asked();
        let mut first = if is_context_inline(&self.context, self.settings) {
            flat_message(query, &self.context)
        } else {
            TURN_TOOLS.render([&self.context.chars().count().to_string(), query])
        };
        if self.invocation.plan.iterations == 1 && !conversation.tools.is_off() {
            first = format!("{first}\n\n{}", TURN_TOOLS_LAST.render([]));
        }
        first += &self.background.get_mut().take_notes();
        let first = Message::user(first);
        conversation.push(self.attempt.with_images(&self.invocation, first));
    }

    fn on_message(&mut self, message: Message, _turn: Turn, conversation: &mut Conversation) {
        let mut message = message;
        message.content += &self.background.get_mut().take_notes();
        conversation.push(message);
    }

    async fn run_background_while<T: Send>(&mut self, asking: impl Future<Output = T> + Send) -> T {
        self.background.get_mut().run_background_while(asking).await
    }

    async fn close(
        &mut self,
        _conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> Result<String, Failure> {
        self.background
            .get_mut()
            .stop(self.attempt, &self.invocation);
        result
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        turn: Turn,
        conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        let mut notes: Vec<String> = match self.read(&reply, &conversation.tools)? {
            Read::Answer(answer) => return Ok(NextStep::Answer(answer)),
            Read::Fault(note) => vec![note],
            Read::Calls => {
                if conversation.tools.choice == ToolChoice::Required {
                    conversation.tools.choice = ToolChoice::Auto;
                }
                Vec::new()
            }
        };
        let must_call = conversation.tools.choice == ToolChoice::Required;
        if turn.iteration + 1 == turn.iterations && !must_call {
            notes.push(TURN_TOOLS_LAST.render([]));
        }
        let results = self.run_calls_with_background(&reply).await?;
        let done = self.background.get_mut().take_notes();
        notes.extend((!done.is_empty()).then(|| done.trim().to_owned()));
        let chars = results
            .iter()
            .map(|result| result.content.chars().count() as u64);
        let chars = chars.sum();
        let message = |tool_results| Message {
            tool_results,
            ..Message::user(notes.join("\n"))
        };
        let stub = results.iter().map(|result| ToolResult {
            content: output_left_out(result.content.chars().count() as u64),
            ..result.clone()
        });
        let stub = message(stub.collect());
        conversation.push_output(message(results), stub, chars);
        Ok(NextStep::Continue)
    }
}

enum Read {
    Answer(String),
    Calls,
    /// Note to the agent about what was wrong.
    Fault(String),
}

/// Whether the first message contains the context: if the context is short, or if the agent cannot
/// call tools.
fn is_context_inline(context: &str, settings: &AgentSettings) -> bool {
    settings.tool_choice == ToolStrategy::None || context.chars().nth(INLINE_CONTEXT).is_none()
}

fn no_call(times: u32) -> Failure {
    Failure::new(
        Status::Limit,
        format!("the model has to call a tool and did not, {times} times in a row"),
    )
}

fn calls_in_text(times: u32) -> Failure {
    Failure::new(
        Status::Limit,
        format!(
            "the model's tool calls came as text, {times} times in a row: its server needs a parser for tool calls"
        ),
    )
}
