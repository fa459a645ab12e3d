//! State of the repetition of an earlier session: the steps, requests and replies that are left.

use std::collections::{HashMap, VecDeque};

use crate::message::{AgentId, Budget, Reply, Request, Step};

/// State of a repetition.
#[derive(Default)]
pub(super) struct Repetition {
    /// Steps that were not repeated yet.
    pub steps: VecDeque<Step>,
    /// Requests that arrived before their step.
    pub held: VecDeque<Request>,
    /// Ids of the reopened agents, by their recorded numbers.
    pub agents: HashMap<AgentId, AgentId>,
    /// Budget to set after the last step.
    pub budget: Option<Budget>,
    /// Ends of cells that were not reported yet.
    pub ends: Vec<(AgentId, Reply)>,
}

impl Repetition {
    pub fn new(steps: Vec<Step>) -> Self {
        Self {
            steps: steps.into(),
            ..Self::default()
        }
    }

    /// Whether this request is the recorded step.
    pub fn is_step(&self, request: &Request, step: &Step) -> bool {
        let is = |agent: &AgentId, then: &AgentId| self.agents.get(then) == Some(agent);
        match (request, step) {
            (Request::Open { info, .. }, Step::Opened(_, id)) => info.invocation_id == *id,
            (Request::Set { agent, name, .. }, Step::Set(then, set)) => {
                is(agent, then) && name == set
            }
            (Request::Run { agent, .. }, Step::Ran(then))
            | (Request::ListVariables { agent }, Step::Listed(then))
            | (Request::Close { agent, .. }, Step::Closed(then)) => is(agent, then),
            (Request::Settle { call, .. }, Step::Settled(then))
            | (Request::GetCallContext { call }, Step::AskedContext(then)) => call == then,
            _ => false,
        }
    }
}
