//! Settings of `rlm-eval prompt`.

use harness::model::Role;
use harness::prompt::{
    AgentPrompt, Driver, ModelAlias, PromptConfig, PromptOverrides, iterations_for_depth,
};
use harness::sandbox::Isolation;
use harness::treatment::{DEFAULT_MAX_ITERATIONS, ProtocolSettings};
use harness::{ActionSurface, ToolSpec, Treatment};

use super::treatment::{Agents, Flags};
use super::values::within;
use super::{Resolved, RunMode, SettingsError};
use crate::cli::{HookArgs, PromptArgs};

/// The agent whose prompt is shown, and the output options.
#[derive(Debug, Clone)]
pub struct PromptSettings {
    /// Whether the agent is the root, and of which protocol, or a child.
    pub role: Role,
    /// Depth, maximum depth, prompt mode, and the iteration limit of children.
    pub config: PromptConfig,
    /// Iteration limit of the agent.
    pub iterations: u32,
    /// Invocation id, which encodes the agent's position in the tree.
    pub invocation_id: String,
    /// Queries of the agent's ancestors, root first: empty, or one for each ancestor.
    pub lineage: Vec<String>,
    /// System prompt from the caller.
    pub system_prompt: Option<String>,
    /// Models that the agent may call by name.
    pub aliases: Vec<ModelAlias>,
    /// Drivers of the root.
    pub drivers: Vec<Driver>,
    /// Functions in the agent's REPL in addition to the builtins.
    pub tools: Vec<ToolSpec>,
    /// Native tools offered in the agent's requests.
    pub native_tools: Vec<ToolSpec>,
    /// Prompt overrides.
    pub overrides: PromptOverrides,
    /// Whether code is sent in tool calls.
    pub code_via_tool: bool,
    /// Whether to print the sizes of the sections.
    pub sizes: bool,
    /// Whether to print the sections as JSON.
    pub json: bool,
}

impl PromptSettings {
    /// Resolves the flags. Models need not exist, because none is called.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag.
    pub fn resolve(args: &PromptArgs) -> Result<Resolved<Self>, SettingsError> {
        let flags = Flags {
            guidance: &args.guidance,
            tools: &args.tools,
            values: &args.variables.values,
            servers: &args.mcp.mcp_servers,
            hooks: &HookArgs::default(),
            web: &args.web,
        };
        let protocol = args.guidance.protocol;
        let max_depth = args.guidance.max_depth;
        let depth = within("--depth", args.depth, &(0..=max_depth))?;
        if !protocol.capabilities().calls_children() && depth > 0 {
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
                    "--lineage: got {given} queries, but an agent at depth {depth} has {depth} \
                     ancestors"
                ),
                "pass --lineage once for each ancestor, starting with the root, or omit it",
            ));
        }
        let iterations = match args.iterations {
            Some(iterations) => {
                let most = iterations_for_depth(depth, 10_000);
                within("--iterations", iterations, &(1..=most))?
            }
            None if depth == 0
                && protocol.capabilities().action_surface == ActionSurface::Program =>
            {
                ProtocolSettings::default().workflow_runs
            }
            None => iterations_for_depth(depth, DEFAULT_MAX_ITERATIONS),
        };
        // The children's limit depends on the run's limit, which is also the root's.
        let of_run = if depth == 0 {
            iterations
        } else {
            DEFAULT_MAX_ITERATIONS
        };
        let model = args.model.as_deref().map(str::trim);
        let agents = flags.resolve(
            Treatment::default(),
            model,
            &Isolation::Thread,
            RunMode::New,
        )?;
        let run = &agents.settings.treatment;
        let tools = if protocol.capabilities().has_repl() {
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

    /// Converts the settings to the input of prompt assembly.
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

/// Returns the id of the first agent at a depth: `root`, `d1-c0`, `d1-c0.d2-c0`.
fn invocation_id(depth: u32) -> String {
    if depth == 0 {
        return "root".to_owned();
    }
    let steps: Vec<String> = (1..=depth).map(|depth| format!("d{depth}-c0")).collect();
    steps.join(".")
}
