//! Builds the treatment from flags, and rejects explicit settings that have no effect on the
//! agents.
//!
//! A setting at its default is not explicit; only its effective value is recorded.

use harness::prompt::Driver;
use harness::sandbox::Isolation;
use harness::treatment::{Effective, ExplicitSetting, ImpliedSettings, Treatment};
use harness::{AgentSettings, Compaction, ModelSlot, prompt};

use super::guidance::{AUTO, Guidance, NONE};
use super::values::names;
use super::{
    GuidanceArgs, HookArgs, McpServer, Resolved, SettingsError, ToolArgs, WebArgs, confine_scripts,
    guidance, hook_registry,
};

/// Flags that determine the agents.
pub(crate) struct Flags<'a> {
    pub guidance: &'a GuidanceArgs,
    pub tools: &'a ToolArgs,
    pub values: &'a [String],
    pub servers: &'a [McpServer],
    pub hooks: &'a HookArgs,
    pub web: &'a WebArgs,
}

/// Kind of run that the settings are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// A new run. Limits without effect cause warnings; other settings without effect are errors.
    New,
    /// A cell of a sweep. All settings without effect are errors, so that no two cells are equal.
    Cell,
    /// A resumed run. Settings without effect are accepted, because an earlier version may have
    /// accepted and recorded them.
    Resume,
}

/// Resolved settings of the agents.
pub(crate) struct Agents {
    pub treatment: Treatment,
    /// Name of the applied profile.
    pub profile: Option<String>,
    pub effective: Effective,
}

impl Flags<'_> {
    /// Builds a treatment from the flags; `given` supplies the fields that these flags do not set.
    /// Rejects settings without effect. Without a model, `--profile auto` finds no profile. Drivers
    /// of an auto-matched profile that do not fit the root's prompt are omitted, with a note.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag; [`SettingsError::NoEffect`] for a setting
    /// without effect.
    pub fn resolve(
        &self,
        given: Treatment,
        model: Option<&str>,
        isolation: &Isolation,
        start: RunMode,
    ) -> Result<Resolved<Agents>, SettingsError> {
        let args = self.guidance;
        confine_scripts(isolation);
        let registry = hook_registry(args.layers.hooks_dir.as_deref())?;
        let hooks = registry.resolve(&names(&self.hooks.hooks))?;
        let Resolved {
            settings: guidance,
            mut notes,
            mut warnings,
        } = guidance::resolve(args, model, &registry, self.servers)?;
        let web = super::web::resolve(self.web)?;
        let layers = &guidance.layers;
        let equipped = super::tools::resolve(
            self.tools,
            self.values,
            self.servers,
            &args.layers,
            layers,
            &web,
            &registry,
        )?;
        let root = match &layers.definition {
            Some(definition) => AgentSettings::of(definition, &registry)?,
            None => AgentSettings::default(),
        };
        let profile = self.typed_profile(&guidance);
        let mut treatment = Treatment {
            protocol: args.protocol,
            prompts: args.prompts,
            drivers: guidance.drivers.clone(),
            hooks,
            tools: equipped.all.clone(),
            overrides: layers.overrides.clone(),
            root,
            web,
            pages: self.web.pages.clone(),
            compaction: Compaction {
                settings: args.long_conversations.settings,
                ..Compaction::default()
            },
            answer_schema: guidance.answer_schema.clone(),
            models: guidance.models.clone(),
            implied: ImpliedSettings {
                profile: profile.map(|name| (name.to_owned(), guidance.of_profile.clone())),
                tools: equipped.of_definition.clone(),
            },
            ..given
        };
        if start != RunMode::Resume {
            let explicit = self.explicit(&guidance, &treatment);
            let is_harmless = |setting: &ExplicitSetting| start == RunMode::New && setting.is_limit;
            let (limits, labels): (Vec<_>, Vec<_>) = explicit.into_iter().partition(is_harmless);
            treatment.check(&labels)?;
            warnings.extend(
                treatment
                    .check(&limits)
                    .err()
                    .map(|no_effect| no_effect.to_string()),
            );
        }
        // A tool that the root's definition also names is not explicit: it would be used even
        // without the flag.
        let named = layers.definition.iter().flat_map(|root| &root.tools);
        let named: Vec<&str> = named.map(|tool| tool.name.as_str()).collect();
        let only_typed = equipped.of_servers.iter();
        let only_typed = only_typed.filter(|tool| !named.contains(&tool.as_str()));
        self.check_servers(&treatment, &only_typed.cloned().collect::<Vec<_>>())?;
        if let Some(folder) = &self.tools.files_dir
            && !treatment.tools.may_read_files()
        {
            notes.push(format!(
                "--files-dir {}: none of the agents' tools reads files",
                folder.display()
            ));
        }
        let idle = treatment.remove_unused_sections();
        if !idle.is_empty() {
            notes.push(format!(
                "--prompts-dir: ignored sections that do not change any agent's prompt: {}",
                idle.join(", ")
            ));
        }
        let effective = treatment.effective();
        let mut profile = guidance.profile;
        if effective.drivers.len() < treatment.drivers.len() {
            // All drivers named by flags are included, so the missing ones come from the
            // auto-matched profile.
            let is_there = |driver: &Driver| effective.drivers.contains(&driver.name);
            let profile = profile.take().unwrap_or_default();
            let (kept, dropped): (Vec<Driver>, Vec<Driver>) =
                treatment.drivers.into_iter().partition(is_there);
            let dropped: Vec<String> = dropped.into_iter().map(|driver| driver.name).collect();
            notes.retain(|note| !note.starts_with(&format!("profile `{profile}` matches")));
            notes.push(format!(
                "profile `{profile}` has no effect: the root's prompt does not include the drivers {}",
                dropped.join(", ")
            ));
            treatment.drivers = kept;
        }
        warnings.extend(prompt::warnings(effective.prompt_mode, &treatment.drivers));
        let idle = treatment.unused_overrides();
        if !idle.is_empty() {
            warnings.push(format!(
                "--action-overrides: no agent has a tool or action called {}",
                idle.join(" or ")
            ));
        }
        Ok(Resolved {
            settings: Agents {
                treatment,
                profile,
                effective,
            },
            notes,
            warnings,
        })
    }

    /// Rejects servers whose tools no agent of the run can call.
    fn check_servers(&self, run: &Treatment, tools: &[String]) -> Result<(), SettingsError> {
        for server in self.servers {
            let is_its = |tool: &&String| tool.starts_with(&format!("{}.", server.name));
            let explicit = tools
                .iter()
                .find(is_its)
                .map(|tool| ExplicitSetting::tool(tool));
            if explicit.is_some_and(|setting| run.check(&[setting]).is_err()) {
                return Err(SettingsError::with_hint(
                    format!(
                        "--mcp-server {}: no agent with --protocol {} calls tools",
                        server.name, run.protocol
                    ),
                    "use another protocol, such as rlm or tools",
                ));
            }
        }
        Ok(())
    }

    /// Returns the profile if `--profile` names it. An auto-matched profile is not an explicit
    /// setting and implies no other.
    fn typed_profile<'a>(&self, guidance: &'a Guidance) -> Option<&'a str> {
        let is_named = ![AUTO, NONE].contains(&self.guidance.profile.trim());
        guidance.profile.as_deref().filter(|_| is_named)
    }

    /// Returns the explicit settings, which must have an effect.
    fn explicit(&self, guidance: &Guidance, run: &Treatment) -> Vec<ExplicitSetting> {
        let mut explicit = run.explicit();
        let web_agent = self.web.web_agent.as_ref();
        explicit.extend(web_agent.map(|_| ExplicitSetting::web_agent()));
        let drivers = names(&self.guidance.drivers);
        if let Some(profile) = self.typed_profile(guidance) {
            let of_profile = guidance.of_profile.iter().cloned();
            let only: Vec<String> = of_profile.filter(|name| !drivers.contains(name)).collect();
            // If all drivers of the profile are also named, checking the drivers is enough.
            explicit.extend((!only.is_empty()).then(|| ExplicitSetting::profile(profile, only)));
        }
        explicit.extend(drivers.iter().map(|name| ExplicitSetting::driver(name)));
        let tools = names(&self.tools.tools);
        explicit.extend(tools.iter().map(|name| ExplicitSetting::tool(name)));
        let hooks = names(&self.hooks.hooks);
        explicit.extend(hooks.iter().map(|name| ExplicitSetting::hook(name)));
        // An alias that a definition names counts as used, wherever the definition is called.
        let named_models = &guidance.layers.named_models;
        let aliases = guidance.models.aliases().map(|(name, _)| name.to_owned());
        let unnamed = aliases.filter(|name| !named_models.contains(name));
        explicit.extend(unnamed.map(|name| ExplicitSetting::model(ModelSlot::Alias(name))));
        explicit
    }
}
