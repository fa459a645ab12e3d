//! What the flags make of the agents: a treatment, of which every claim is in what the agents get.
//!
//! A setting at its default claims nothing: what it comes to is recorded.

use harness::AgentSettings;
use harness::prompt::definition::Definition;
use harness::prompt::{self, Driver, ModelAlias, PromptMode};
use harness::sandbox::Isolation;
use harness::treatment::{
    Brought, Claim, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, Effective, ReplSetting, Sent,
    Setting, Treatment,
};

use serde_json::Value;

use super::guidance::{self, AUTO, Guidance, NONE};
use super::name_list::names;
use super::{Resolved, SettingsError, hook_registry};
use crate::cli::{
    CodeVia, EngineArgs, GuidanceArgs, HookArgs, LayerArgs, ToolArgs, WebArgs, recorded,
};

/// The flags that claim something of the agents.
pub(super) struct Flags<'a> {
    pub guidance: &'a GuidanceArgs,
    pub tools: &'a ToolArgs,
    pub hooks: &'a HookArgs,
    pub web: &'a WebArgs,
}

/// Whether something begins with these settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It does.
    New,
    /// It goes on with what it was begun with. An earlier program may have accepted what changes nothing, and its run can still
    /// be finished: the labels are recorded.
    GoesOn,
}

/// What the flags come to.
pub(super) struct Agents {
    pub treatment: Treatment,
    /// The profile that was applied.
    pub profile: Option<String>,
    /// The definition that the root runs under.
    pub definition: Option<Definition>,
    pub effective: Effective,
    pub sent: Sent,
}

impl Flags<'_> {
    /// Makes a treatment of the flags and of what `given` says besides, and refuses what no agent would get. Without a model,
    /// `--profile auto` finds none. Drivers that it adds and that the root's prompt has no place for are left out, with a note.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong; [`SettingsError::Inert`] for one that would change nothing.
    pub fn resolve(
        &self,
        given: Treatment,
        model: Option<&str>,
        isolation: &Isolation,
        start: Start,
    ) -> Result<Resolved<Agents>, SettingsError> {
        let args = self.guidance;
        let registry = hook_registry(args.layers.hooks_dir.as_deref())?;
        let hooks = registry.resolve(&names(&self.hooks.hooks))?;
        let Resolved {
            settings: guidance,
            mut notes,
            mut warnings,
        } = guidance::resolve(args, model, &registry)?;
        let web = super::web::resolve(self.web)?;
        let layers = &guidance.layers;
        let equipped =
            super::tools::resolve(self.tools, &args.layers, isolation, layers, &web, &registry)?;
        let root = match &layers.definition {
            Some(definition) => AgentSettings::of(definition, &registry)?,
            None => AgentSettings::default(),
        };
        let profile = self.typed_profile(&guidance);
        let mut treatment = Treatment {
            protocol: args.protocol,
            prompt_mode: args.prompt_mode,
            drivers: guidance.drivers.clone(),
            hooks,
            equipment: equipped.all,
            layers: layers.layers.clone(),
            root,
            max_depth: args.max_depth,
            web,
            code_via_tool: args.code_via == CodeVia::Tool,
            aliases: guidance.aliases.clone(),
            brought: Brought {
                profile: profile.map(|name| (name.to_owned(), guidance.of_profile.clone())),
                tools: equipped.of_definition,
            },
            ..given
        };
        if start == Start::New {
            treatment.check(&self.claims(&guidance, &treatment))?;
        }
        let idle = treatment.drop_idle_sections();
        if !idle.is_empty() {
            notes.push(format!(
                "--prompts-dir: left out, as they change no agent's prompt: {}",
                idle.join(", ")
            ));
        }
        let effective = treatment.effective();
        let mut profile = guidance.profile;
        if effective.drivers.len() < treatment.drivers.len() {
            // Those that were named are there: the rest is of the profile that matched the model.
            let is_there = |driver: &Driver| effective.drivers.contains(&driver.name);
            let profile = profile.take().unwrap_or_default();
            let (kept, dropped): (Vec<Driver>, Vec<Driver>) =
                treatment.drivers.into_iter().partition(is_there);
            let dropped: Vec<String> = dropped.into_iter().map(|driver| driver.name).collect();
            notes.retain(|note| !note.starts_with(&format!("profile `{profile}` matches")));
            notes.push(format!(
                "profile `{profile}` adds nothing: the root's prompt has no place for the drivers {}",
                dropped.join(", ")
            ));
            treatment.drivers = kept;
        }
        warnings.extend(prompt::warnings(effective.prompt_mode, &treatment.drivers));
        let idle = treatment.idle_overrides();
        if !idle.is_empty() {
            warnings.push(format!(
                "--action-overrides: no agent has a tool or action called {}",
                idle.join(" or ")
            ));
        }
        Ok(Resolved {
            settings: Agents {
                sent: treatment.sent(),
                profile,
                definition: guidance.layers.definition,
                effective,
                treatment,
            },
            notes,
            warnings,
        })
    }

    /// The profile, if it was named. One that goes by the model claims nothing, and so brings nothing that is named, too.
    fn typed_profile<'a>(&self, guidance: &'a Guidance) -> Option<&'a str> {
        let is_named = ![AUTO, NONE].contains(&self.guidance.profile.trim());
        guidance.profile.as_deref().filter(|_| is_named)
    }

    /// What differs from its default.
    fn claims(&self, guidance: &Guidance, run: &Treatment) -> Vec<Claim> {
        let mut claims = Vec::new();
        if run.prompt_mode != PromptMode::default() {
            claims.push(Claim::PromptMode(run.prompt_mode));
        }
        if run.max_depth != DEFAULT_MAX_DEPTH {
            claims.push(Claim::MaxDepth(run.max_depth));
        }
        if run.max_iterations != DEFAULT_MAX_ITERATIONS {
            claims.push(Claim::MaxIterations(run.max_iterations));
        }
        let layers = &run.layers;
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
            (Setting::CodeVia, run.code_via_tool),
            (Setting::StopEarly, run.stop_early),
            (Setting::WebAgent, self.web.web_agent.is_some()),
        ];
        let given = settings.into_iter().filter(|(_, is_given)| *is_given);
        claims.extend(given.map(|(setting, _)| Claim::Setting(setting)));
        claims.extend(ReplSetting::given(&run.repl).map(Claim::Repl));
        let definition = layers.definition.as_ref();
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
