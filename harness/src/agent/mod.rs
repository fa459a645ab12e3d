//! Runs the agents of an attempt: the loop of turns, model calls, hooks, budgets and records.
//!
//! Invariant: this module does not depend on any protocol. Protocols implement [`AgentBehavior`],
//! which builds an agent's messages and acts on its replies.

mod treatment;
mod compaction_settings;
mod model_map;
mod run;

mod agent_plan;
mod attempt;
mod records;
mod invocation;
mod instances;
mod conversation;
mod compaction;
mod turns;
mod model_call;
mod earlier_results;

mod hook_dispatch;
mod page_functions;
mod person;

mod budget;
mod ledger;
mod budget_subscribers;
mod meter;
mod halt;
mod failure;

mod agent_settings;
mod specialist;
mod agent_tools;
mod tool_resolver;

pub use agent_settings::{AgentSettings, properties_without_effect};
pub use agent_tools::AgentTools;
pub use budget::{Budget, Expense, ExternalBudget, Hold, Spent};
pub use compaction_settings::Compaction;
pub use halt::HaltReason;
pub use ledger::{Reservation, SharedBudget};
pub use model_map::{CallerRole, ModelMap, ModelSlot};
pub use person::Person;
pub use run::Model;
pub use specialist::{Counterpart, Dialogue, Specialist, Specialists};
pub use tool_resolver::ToolResolver;
pub use treatment::{Conduct, ImpliedSettings, Treatment};

pub(crate) use agent_plan::AgentPlan;
pub(crate) use attempt::{Attempt, Diverged};
pub(crate) use budget_subscribers::{BudgetSubscribers, BudgetSubscription};
pub(crate) use conversation::Conversation;
pub(crate) use failure::Failure;
pub(crate) use halt::Halt;
pub(crate) use instances::{
    Inbox, Instances, LoggedCall, Outbox, QueuedMessage, ReplyReceiver, ToolLog,
};
pub(crate) use invocation::{Invocation, ROOT};
pub(crate) use ledger::{BudgetExceeded, Ledger, Refusal, Scope};
pub(crate) use meter::{Meter, Work};
pub(crate) use model_call::ModelReply;
pub(crate) use model_map::{CHILD_MODEL, COMPACTION_MODEL, LLM_MODEL, MODEL_ALIAS, MODEL_AT_DEPTH};
pub(crate) use page_functions::{PageFunctions, PageResult, seen};
pub(crate) use records::{Records, shown};
pub(crate) use run::Run;
pub(crate) use turns::{AgentBehavior, CORRECTIONS, NextStep, Turn, answer_messages, run_turns};
