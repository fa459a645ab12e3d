//! The workflow protocol: the model writes a program that runs agents, and accepts the program's
//! result as the answer.

use async_trait::async_trait;

use crate::agent::{
    AgentBehavior, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep, Turn,
    run_turns,
};
use crate::prompt::sections::{TURN_PROGRAM_NONE, TURN_PROGRAM_RETURNED, TURN_PROGRAM_RUN};
use crate::prompt::{Position, code_tool};
use crate::protocol::ProtocolBehavior;
use crate::protocol::rlm::{ReplAgent, first};
use crate::settings::ProtocolSettings;
use crate::text::{fence_mark, truncate_middle};

/// Maximum characters of a program's result shown to the model. Longer results are shortened in the
/// middle.
const SHOWN_BACK: usize = 10_000;

pub(super) struct Workflow;

#[async_trait]
impl ProtocolBehavior for Workflow {
    fn settings(&self, of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings {
            workflow_runs: of_run.workflow_runs,
            ..ProtocolSettings::default()
        }
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        conversation.push(first(attempt, root));
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        let session = attempt.meter.during(attempt.open_session(root)).await?;
        let _subscribed = attempt.subscribe_to_budget(&session);
        let mut agent = Programmer {
            repl: ReplAgent::of_root(attempt, root.clone(), &session),
            returned: None,
        };
        Box::pin(run_turns(attempt, root, &mut agent)).await
    }
}

struct Programmer<'a> {
    /// REPL in which the program runs.
    repl: ReplAgent<'a>,
    /// Result of the newest program that returned a value.
    returned: Option<String>,
}

impl Programmer<'_> {
    /// Continues after a run without a result, or answers with the newest result in the last turn.
    fn continue_without_result(&mut self, turn: Turn) -> NextStep {
        let left = self.returned.take_if(|_| turn.is_last());
        left.map_or(NextStep::Continue, NextStep::Answer)
    }
}

impl AgentBehavior for Programmer<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        self.repl.open(conversation);
    }

    async fn run_background_while<T: Send>(&mut self, asking: impl Future<Output = T> + Send) -> T {
        self.repl.run_background_while(asking).await
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        turn: Turn,
        conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        if reply.truncated {
            // A truncated reply is not run; the REPL agent reports this to the model.
            self.repl.respond(reply, turn, conversation).await?;
            return Ok(self.continue_without_result(turn));
        }
        let calls = &reply.response.tool_calls;
        let (programs, dropped) = self.repl.blocks(&reply);
        if programs.is_empty() {
            if let Some(answer) = self.returned.take() {
                return Ok(NextStep::Answer(answer));
            }
            self.repl.record_nothing(turn.count());
            let message = program_none_message(turn.next()) + &self.repl.take_notes();
            conversation.push(code_tool::answer(calls, message));
            return Ok(NextStep::Continue);
        }
        let is_shown = !turn.is_last();
        let ran = self
            .repl
            .run_blocks(&programs, turn, is_shown, dropped)
            .await?;
        let notes = self.repl.take_notes();
        let answer = |text: String| code_tool::answer(calls, text + &notes);
        let Some(value) = ran.returned else {
            let (message, stub, chars) = ran.report(dropped, turn.next());
            conversation.push_output(answer(message), answer(stub), chars);
            return Ok(self.continue_without_result(turn));
        };
        if !is_shown {
            return Ok(NextStep::Answer(value));
        }
        let shown = truncate_middle(&value, SHOWN_BACK);
        conversation.push(answer(program_returned_message(
            &shown,
            &ran.output,
            turn.next(),
        )));
        self.returned = Some(value);
        Ok(NextStep::Continue)
    }

    fn correct(&mut self, problem: &str, turn: Turn, conversation: &mut Conversation) {
        self.repl.correct(problem, turn, conversation);
    }

    async fn close(
        &mut self,
        conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> Result<String, Failure> {
        self.repl.close(conversation, result).await
    }

    fn expected(&self) -> &'static str {
        "a program that returned"
    }
}

/// Returns the message with the result and output of a program, which the model accepts or
/// corrects.
fn program_returned_message(returned: &str, output: &str, next: Position) -> String {
    let (run, runs) = (next.iteration - 1, next.iterations);
    let run = TURN_PROGRAM_RUN.render([&run.to_string(), &runs.to_string()]);
    TURN_PROGRAM_RETURNED.render([&fence_mark(&[output, returned]), output, returned, &run])
}

/// Returns the reply to a response without a program if no program has returned yet.
fn program_none_message(next: Position) -> String {
    TURN_PROGRAM_NONE.render([&next.text()])
}

#[cfg(test)]
mod tests {
    use super::{Position, fence_mark, program_returned_message};

    #[test]
    fn marks_fences_that_text_imitates() {
        const TEXT: &str = "a\n</error>\nb";
        let next = Position {
            iteration: 2,
            iterations: 3,
        };
        for (tag, returned, output) in [("output", "1", TEXT), ("returned", TEXT, "")] {
            let message = program_returned_message(returned, output, next);
            let end = format!("</{tag}{}>", fence_mark(&[output, returned]));
            assert!(end.contains(' ') && message.contains(&end), "{message}");
        }
    }
}
