//! Settings of `rlm-eval prompt`.

use harness::model::Role;
use harness::prompt::{
    AgentPrompt, Driver, ModelAlias, PromptConfig, PromptOverrides, iterations_for_depth,
};
use harness::sandbox::Isolation;
use harness::treatment::{DEFAULT_MAX_ITERATIONS, ProtocolSettings};
use harness::{ToolSpec, Treatment, Workplace};

use super::bounds::within;
use super::treatment::{Agents, Flags};
use super::{Resolved, SettingsError, Start};
use crate::cli::{HookArgs, PromptArgs};

/// The agent whose prompt is shown.
#[derive(Debug, Clone)]
pub struct PromptSettings {
    /// What kind of agent.
    pub role: Role,
    /// Depth, mode, and what its children get.
    pub config: PromptConfig,
    /// Iterations that it has.
    pub iterations: u32,
    /// Its name, which says where in the tree it stands.
    pub invocation_id: String,
    /// The queries of the agents above it, root first: none, or one for each.
    pub lineage: Vec<String>,
    /// The prompt that its caller gave it.
    pub system_prompt: Option<String>,
    /// The models that it may call by name.
    pub aliases: Vec<ModelAlias>,
    /// Guidance for the root.
    pub drivers: Vec<Driver>,
    /// The functions in its REPL beside the builtins.
    pub tools: Vec<ToolSpec>,
    /// What its requests offer as native tools.
    pub native_tools: Vec<ToolSpec>,
    /// What is laid over the prompts.
    pub overrides: PromptOverrides,
    /// Whether code comes by calls of a tool.
    pub code_via_tool: bool,
    /// Whether the sizes of the sections are printed.
    pub sizes: bool,
    /// Whether the sections are printed apart, as JSON.
    pub json: bool,
}

impl PromptSettings {
    /// Resolves the flags of a prompt. Models need not exist: none is called.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong.
    pub fn resolve(args: &PromptArgs) -> Result<Resolved<Self>, SettingsError> {
        let flags = Flags {
            guidance: &args.guidance,
            tools: &args.tools,
            values: &args.variables.values,
            hooks: &HookArgs::default(),
            web: &args.web,
        };
        let protocol = args.guidance.protocol;
        let max_depth = args.guidance.max_depth;
        let depth = within("--depth", args.depth, &(0..=max_depth))?;
        if !protocol.nature().calls_children() && depth > 0 {
            return Err(SettingsError::with_hint(
                format!(
                    "--depth {depth}: with --protocol {protocol} there is one agent, at depth 0"
                ),
                "use --depth 0, or --protocol rlm",
            ));
        }
        if !args.lineage.is_empty() && args.lineage.len() != depth as usize {
            let given = args.lineage.len();
            return Err(SettingsError::with_hint(
                format!(
                    "--lineage: {given} given, but an agent at depth {depth} has {depth} above it"
                ),
                "give --lineage once for each depth above, the root's query first, or never",
            ));
        }
        let iterations = match args.iterations {
            Some(iterations) => {
                let most = iterations_for_depth(depth, 10_000);
                within("--iterations", iterations, &(1..=most))?
            }
            None if depth == 0 && protocol.nature().workplace == Workplace::Program => {
                ProtocolSettings::default().workflow_runs
            }
            None => iterations_for_depth(depth, DEFAULT_MAX_ITERATIONS),
        };
        // Children get their part of the run's iterations, which are the root's own.
        let of_run = if depth == 0 {
            iterations
        } else {
            DEFAULT_MAX_ITERATIONS
        };
        let model = args.model.as_deref().map(str::trim);
        let agents = flags.resolve(Treatment::default(), model, &Isolation::Thread, Start::New)?;
        let run = &agents.settings.treatment;
        let tools = if protocol.nature().has_repl() {
            run.tools.root.specs()
        } else {
            Vec::new()
        };
        let native_tools = run.native_tools(depth);
        let web_prompt = if run.is_web() {
            Some(super::web::system_text(
                &args.web,
                &run.web,
                &run.overrides,
            )?)
        } else {
            None
        };
        Ok(agents.map(|Agents { treatment: run, .. }| Self {
            role: if depth == 0 {
                Role::Root(protocol)
            } else {
                Role::Child
            },
            config: PromptConfig {
                depth,
                max_depth,
                mode: run.prompt_mode,
                child_budget: iterations_for_depth(depth + 1, of_run),
            },
            iterations,
            invocation_id: invocation_id(depth),
            lineage: args.lineage.clone(),
            system_prompt: web_prompt.or_else(|| args.system_prompt.clone()),
            aliases: run.aliases,
            drivers: run.drivers,
            tools,
            native_tools,
            overrides: run.overrides,
            code_via_tool: run.code_via_tool,
            sizes: args.sizes,
            json: args.json,
        }))
    }

    /// The agent, as the assembly of prompts takes it.
    pub fn agent(&self) -> AgentPrompt<'_> {
        AgentPrompt {
            role: self.role,
            config: self.config,
            iterations: self.iterations,
            invocation_id: &self.invocation_id,
            lineage: &self.lineage,
            system_prompt: self.system_prompt.as_deref(),
            models: &self.aliases,
            drivers: &self.drivers,
            tools: &self.tools,
            code_via_tool: self.code_via_tool,
            overrides: &self.overrides,
            is_alone: false,
        }
    }
}

/// The first agent of a depth: `root`, `d1-c0`, `d1-c0.d2-c0`.
fn invocation_id(depth: u32) -> String {
    if depth == 0 {
        return "root".to_owned();
    }
    let steps: Vec<String> = (1..=depth).map(|depth| format!("d{depth}-c0")).collect();
    steps.join(".")
}
