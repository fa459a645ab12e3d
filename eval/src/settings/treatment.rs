//! Checks that what the flags claim of the agents is in what they get, and says what is true of them.
//!
//! A setting at its default claims nothing: what it comes to is recorded.

use harness::agent_turn::AgentTurnSettings;
use harness::prompt::{ModelAlias, PromptMode, warnings};
use harness::tool::Toolbox;
use harness::treatment::{
    Brought, Claim, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, Effective, ReplSetting,
    ReplTreatment, Sent, Setting, Treatment,
};
use harness::{AgentSettings, Equipment};
use serde_json::Value;

use super::guidance::{AUTO, Guidance, NONE};
use super::name_list::names;
use super::{HookSettings, Resolved, SettingsError};
use crate::cli::{
    CodeVia, EngineArgs, GuidanceArgs, HookArgs, LayerArgs, ToolArgs, WebArgs, recorded,
};

/// The flags that claim something of the agents.
pub(super) struct Claimed<'a> {
    pub guidance: &'a GuidanceArgs,
    pub tools: &'a ToolArgs,
    pub hooks: &'a HookArgs,
    pub web: &'a WebArgs,
    pub max_iterations: u32,
    pub stop_early: bool,
    pub repl: &'a ReplTreatment,
    /// The tools that the root's definition names.
    pub tools_of_definition: Toolbox,
}

/// What is true of the agents, and what they get.
pub(super) struct Checked {
    pub effective: Effective,
    pub sent: Sent,
}

impl Claimed<'_> {
    /// Refuses what no agent would get. Drivers of `--profile auto` that the root's prompt has no place for are taken out of the
    /// guidance, with a note.
    ///
    /// # Errors
    /// [`SettingsError::Inert`], and [`SettingsError::Hook`] for a hook that there is not.
    pub fn check(
        &self,
        resolved: &mut Resolved<Guidance>,
        equipment: &Equipment,
        hooks: &HookSettings,
        web: &AgentTurnSettings,
    ) -> Result<Checked, SettingsError> {
        let guidance = &mut resolved.settings;
        let definition = guidance.layers.definition.as_ref();
        let mut run = Treatment {
            protocol: guidance.protocol,
            prompt_mode: guidance.prompt_mode,
            drivers: guidance.drivers.clone(),
            max_depth: guidance.max_depth,
            max_iterations: self.max_iterations,
            code_via_tool: guidance.code_via_tool,
            stop_early: self.stop_early,
            repl: self.repl.clone(),
            layers: guidance.layers.layers.clone(),
            definition: definition.map(|definition| definition.name.clone()),
            root: match definition {
                Some(definition) => AgentSettings::of(definition, &hooks.registry)?,
                None => AgentSettings::default(),
            },
            equipment: equipment.clone(),
            hooks: hooks.hooks.clone(),
            web: web.clone(),
            aliases: guidance.aliases.clone(),
            brought: Brought {
                profile: self
                    .typed_profile(guidance)
                    .map(|profile| (profile.to_owned(), guidance.of_profile.clone())),
                tools: self.tools_of_definition.clone(),
            },
        };
        run.check(&self.claims(guidance))?;
        let idle = run.drop_idle_sections();
        if !idle.is_empty() {
            guidance
                .layers
                .layers
                .sections
                .clone_from(&run.layers.sections);
            resolved.notes.push(format!(
                "--prompts-dir: left out, as they change no agent's prompt: {}",
                idle.join(", ")
            ));
        }
        let effective = run.effective();
        if effective.drivers.len() < run.drivers.len() {
            // Those that were named are there: the rest is of the profile that matched the model.
            let is_there = |name: &String| effective.drivers.contains(name);
            let profile = guidance.profile.take().unwrap_or_default();
            let dropped: Vec<String> = run
                .drivers
                .iter()
                .map(|driver| driver.name.clone())
                .collect();
            let dropped: Vec<String> = dropped.into_iter().filter(|name| !is_there(name)).collect();
            resolved
                .notes
                .retain(|note| !note.starts_with(&format!("profile `{profile}` matches")));
            resolved.notes.push(format!(
                "profile `{profile}` adds nothing: the root's prompt has no place for the drivers {}",
                dropped.join(", ")
            ));
            run.drivers.retain(|driver| is_there(&driver.name));
            guidance.drivers.clone_from(&run.drivers);
        }
        resolved
            .warnings
            .extend(warnings(effective.prompt_mode, &run.drivers));
        let idle = run.idle_overrides();
        if !idle.is_empty() {
            resolved.warnings.push(format!(
                "--action-overrides: no agent has a tool or action called {}",
                idle.join(" or ")
            ));
        }
        Ok(Checked {
            effective,
            sent: run.sent(),
        })
    }

    /// The profile, if it was named. One that goes by the model claims nothing, and so brings nothing that is named, too.
    fn typed_profile<'a>(&self, guidance: &'a Guidance) -> Option<&'a str> {
        let is_named = ![AUTO, NONE].contains(&self.guidance.profile.trim());
        guidance.profile.as_deref().filter(|_| is_named)
    }

    /// What differs from its default.
    fn claims(&self, guidance: &Guidance) -> Vec<Claim> {
        let mut claims = Vec::new();
        if guidance.prompt_mode != PromptMode::default() {
            claims.push(Claim::PromptMode(guidance.prompt_mode));
        }
        if guidance.max_depth != DEFAULT_MAX_DEPTH {
            claims.push(Claim::MaxDepth(guidance.max_depth));
        }
        if self.max_iterations != DEFAULT_MAX_ITERATIONS {
            claims.push(Claim::MaxIterations(self.max_iterations));
        }
        let layers = &guidance.layers.layers;
        let code_via_tool = guidance.code_via_tool;
        let settings = [
            (Setting::AgentName, !layers.agent_name.is_empty()),
            (Setting::Site, !layers.site.is_empty()),
            (Setting::Persona, !layers.persona.trim().is_empty()),
            (
                Setting::AppendSystemPrompt,
                !layers.append.trim().is_empty(),
            ),
            (Setting::SystemPromptFile, layers.replacement.is_some()),
            (Setting::ActionOverrides, !layers.actions.0.is_empty()),
            (Setting::CodeVia, code_via_tool),
            (Setting::StopEarly, self.stop_early),
            (Setting::WebAgent, self.web.web_agent.is_some()),
        ];
        let given = settings.into_iter().filter(|(_, is_given)| *is_given);
        claims.extend(given.map(|(setting, _)| Claim::Setting(setting)));
        claims.extend(ReplSetting::given(self.repl).map(Claim::Repl));
        let definition = guidance.layers.definition.as_ref();
        claims.extend(definition.map(|definition| Claim::Prompt(definition.name.clone())));
        let drivers = names(&self.guidance.drivers);
        if let Some(profile) = self.typed_profile(guidance) {
            let of_profile = guidance.of_profile.iter().cloned();
            let only: Vec<String> = of_profile.filter(|name| !drivers.contains(name)).collect();
            // One whose drivers are all named is claimed by them.
            claims.extend((!only.is_empty()).then(|| Claim::Profile {
                name: profile.to_owned(),
                drivers: only,
            }));
        }
        claims.extend(drivers.into_iter().map(Claim::Driver));
        claims.extend(names(&self.tools.tools).into_iter().map(Claim::Tool));
        claims.extend(names(&self.hooks.hooks).into_iter().map(Claim::Hook));
        let aliases = guidance.aliases.iter();
        claims.extend(aliases.map(|alias| Claim::ModelAlias(alias.alias.clone())));
        claims
    }
}

/// Flags without a claim: as if it had not been made.
pub fn leave_out(args: &mut EngineArgs, claim: &Claim) {
    let without = |list: &mut Vec<String>, name: &str| {
        *list = names(list)
            .into_iter()
            .filter(|other| other != name)
            .collect();
    };
    let guidance = &mut args.guidance;
    let layers: &mut LayerArgs = &mut guidance.layers;
    match claim {
        Claim::PromptMode(_) => guidance.prompt_mode = PromptMode::default(),
        Claim::MaxDepth(_) => guidance.max_depth = DEFAULT_MAX_DEPTH,
        Claim::MaxIterations(_) => args.max_iterations = DEFAULT_MAX_ITERATIONS,
        Claim::Driver(name) => without(&mut guidance.drivers, name),
        Claim::Profile { .. } => NONE.clone_into(&mut guidance.profile),
        Claim::Prompt(_) => layers.prompt = None,
        Claim::Tool(name) => without(&mut args.tools.tools, name),
        Claim::Hook(name) => without(&mut args.hooks.hooks, name),
        Claim::ModelAlias(alias) => guidance.model_aliases.retain(|given| {
            let parsed: Result<ModelAlias, _> = given.trim().parse();
            parsed.is_ok_and(|parsed| parsed.alias != *alias)
        }),
        Claim::Repl(setting) => reset(args, setting.flag),
        Claim::Setting(setting) => match setting {
            Setting::SystemPromptFile => layers.system_prompt_file = None,
            Setting::AgentName => layers.agent_name = None,
            Setting::Site => layers.site = None,
            Setting::Persona => (layers.persona, layers.persona_file) = (None, None),
            Setting::AppendSystemPrompt => {
                layers.append_system_prompt = None;
                layers.append_system_prompt_file = None;
            }
            Setting::ActionOverrides => layers.action_overrides = None,
            Setting::CodeVia => guidance.code_via = CodeVia::Fenced,
            Setting::StopEarly => args.models.stop_early = false,
            Setting::WebAgent => args.web.web_agent = None,
        },
    }
}

/// Puts a flag of the REPL back to its default.
fn reset(args: &mut EngineArgs, flag: &str) {
    match flag {
        "--max-blocks-per-iteration" => args.max_blocks_per_iteration = 1,
        "--confirm-first-return" => args.confirm_first_return = true,
        _ => {
            let field = flag.trim_start_matches('-').replace('-', "_");
            let Ok(Value::Object(mut given)) = serde_json::to_value(&args.sandbox) else {
                return;
            };
            given.remove(&field);
            // What was just written reads back.
            if let Ok(sandbox) = recorded(&Value::Object(given)) {
                args.sandbox = sandbox;
            }
        }
    }
}
