//! Handles requests: each becomes a turn of the agent that it concerns.

use std::collections::BTreeSet;

use super::repetition::Repetition;
use super::{Agent, Worker};
use crate::inbox::IncomingText;
use crate::isolate::{Action, ContextSource, TurnEnd};
use crate::message::{AgentId, Context, Event, Listing, Reply, Request, SessionStart, Step};

impl Worker {
    /// Handles one request. `arriving` is the context of an agent to open, if it is sent in pieces.
    pub(super) fn handle(&mut self, request: Request, arriving: Option<IncomingText>) {
        match request {
            Request::Begin(beginning) => self.begin(beginning),
            Request::Open {
                agent,
                parent,
                context,
                info,
                functions,
            } => {
                self.opened += 1;
                let place = AgentId(self.opened);
                self.note(Step::Opened(place, info.invocation_id.clone()));
                let info = serde_json::to_string(&info).unwrap_or_default();
                let functions = serde_json::to_string(&functions).unwrap_or_default();
                self.open(agent, parent, &context, arriving, &info, &functions);
            }
            Request::Set { agent, name, json } => {
                self.note(Step::Set(self.place_of(agent), name.clone()));
                self.turn(
                    agent,
                    &Action::SetName {
                        agent,
                        name: &name,
                        json: &json,
                    },
                );
            }
            Request::Run {
                agent,
                code,
                iteration,
            } => {
                self.note(Step::Ran(self.place_of(agent)));
                self.start_cell(agent, &code, iteration);
            }
            Request::Budget(budget) => {
                self.note(Step::Budget(budget));
                self.isolate.host(|host| host.set_budget(budget));
            }
            Request::Settle { call, result } => {
                if let Some(agent) = self.calls.remove(&call) {
                    let question = self.questions.remove(&call);
                    self.note(match &result {
                        Ok(status) if question => Step::Told(call, status.clone()),
                        _ => Step::Settled(call),
                    });
                    self.no_longer_pending(agent, call);
                    self.turn(
                        agent,
                        &Action::Settle {
                            call,
                            result: &result,
                        },
                    );
                }
            }
            Request::GetCallContext { call } => {
                if let Some(agent) = self.calls.get(&call).copied() {
                    self.note(Step::AskedContext(call));
                    let end = self.turn(agent, &Action::CallContext { call });
                    let text = text_of(end, "reading the context");
                    let event = Event::CallContext { call, text };
                    self.replies.push(Reply::Event { agent, event });
                    self.send();
                }
            }
            Request::ListVariables { agent } => {
                self.note(Step::Listed(self.place_of(agent)));
                let listing = self.list_variables(agent);
                self.replies.push(Reply::Variables { agent, listing });
                self.send();
            }
            Request::Close { agent, returned } => {
                self.note(Step::Closed(self.place_of(agent)));
                self.turn(agent, &Action::Close { agent, returned });
                self.end_cell(agent);
                self.agents.remove(&agent);
                self.isolate.host(|host| host.outputs.remove(&agent));
            }
        }
    }

    /// Returns the variables of an agent, or the reason why they cannot be listed.
    fn list_variables(&mut self, agent: AgentId) -> Result<Listing, String> {
        if !self.agents.contains_key(&agent) {
            return Err("the agent is not there".to_owned());
        }
        let end = self.turn(agent, &Action::Variables { agent });
        let json = text_of(end, "listing them")?;
        serde_json::from_str(&json).map_err(|error| error.to_string())
    }

    /// Begins the session, before its first agent is opened.
    fn begin(&mut self, mut beginning: SessionStart) {
        self.begun = true;
        self.isolate.begin_as(&mut beginning);
        let steps = beginning.course.steps;
        self.repeating = (!steps.is_empty()).then(|| Repetition::new(steps));
    }

    /// Returns the number of an agent in the recorded steps: its position among all opened agents,
    /// which is the same in every process.
    pub(super) fn place_of(&self, agent: AgentId) -> AgentId {
        let entry = self.agents.get(&agent);
        entry.map_or(AgentId(0), |entry| AgentId(entry.place))
    }

    /// Records a step, unless it is a repetition.
    pub(super) fn note(&mut self, step: Step) {
        if self.begun && !self.is_repeating_step {
            self.did.push(step);
        }
    }

    /// Opens an agent. `info` and `functions` are JSON.
    fn open(
        &mut self,
        agent: AgentId,
        parent: Option<AgentId>,
        context: &Context,
        arriving: Option<IncomingText>,
        info: &str,
        functions: &str,
    ) {
        if self.agents.is_empty() && self.next_cell == 0 && !self.begun {
            self.isolate.start_clock();
        }
        let opened_by = match context {
            Context::Text(_) => None,
            Context::OfCall(call) => Some(*call),
        };
        self.agents.insert(
            agent,
            Agent {
                parent,
                opened_by,
                lexical: BTreeSet::new(),
                cell: None,
                place: self.opened,
                returned: false,
            },
        );
        let building = arriving.as_ref().map_or(0, |arriving| arriving.bytes);
        let context = self.take_in(context, arriving);
        self.turn(
            agent,
            &Action::Open {
                agent,
                parent,
                info,
                context,
                functions,
            },
        );
        if building > 0 {
            self.isolate.take_back(building);
        }
        // If an agent could not be opened, the remaining pieces of its context must not be read as
        // requests.
        let left = self.isolate.host(|host| host.arriving.take());
        left.into_iter().for_each(IncomingText::skip);
    }

    /// Raises the heap limit for a context, enough for any encoding of its text in the engine.
    /// Returns the source from which the agent receives the context.
    fn take_in<'a>(
        &mut self,
        context: &'a Context,
        arriving: Option<IncomingText>,
    ) -> ContextSource<'a> {
        if let Some(arriving) = arriving {
            let pieces = arriving.pieces;
            // Two bytes for each byte, and temporarily a third one, because the buffer that joins
            // the pieces grows by half at a time.
            self.isolate.allow(arriving.bytes.saturating_mul(3));
            self.isolate.host(|host| host.arriving = Some(arriving));
            return ContextSource::Pieces(pieces);
        }
        match context {
            Context::Text(text) => {
                self.isolate.allow(text.len().saturating_mul(2));
                ContextSource::Text(text)
            }
            Context::OfCall(call) => ContextSource::OfCall(*call),
        }
    }
}

/// Returns the text that a turn returned, or the reason why there is none. `work` describes the
/// turn.
fn text_of(end: TurnEnd, work: &str) -> Result<String, String> {
    match end {
        TurnEnd::Completed(text) => Ok(text.unwrap_or_default()),
        TurnEnd::Threw { message, .. } => Err(message),
        TurnEnd::Terminated | TurnEnd::OutOfMemory | TurnEnd::EndlessJobs(_) | TurnEnd::Broken => {
            Err(format!("{work} took too long"))
        }
    }
}
