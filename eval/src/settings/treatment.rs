//! Builds the treatment from flags, and rejects explicit settings that have no effect on what the
//! agents get.
//!
//! A setting at its default is not explicit; only its effective value is recorded.

use std::convert::Infallible;

use harness::prompt::definition::Definition;
use harness::prompt::{self, Driver, ModelAlias, PromptMode, ReplApi};
use harness::sandbox::Isolation;
use harness::treatment::{
    Brought, Claim, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, Effective, ProtocolSetting,
    ReplSetting, Sent, Setting, Treatment,
};
use harness::{AgentSettings, Compact, DEFAULT_KEPT_TURNS, ModelAssignments};
use serde_json::{Map, Value};

use super::guidance::{self, AUTO, Guidance, NONE};
use super::name_list::names;
use super::recorded::fields;
use super::{Resolved, SettingsError, confine_scripts, hook_registry};
use crate::cli::{
    CodeFormat, EngineArgs, GuidanceArgs, HookArgs, McpServer, ToolArgs, WebArgs, recorded,
};
use crate::providers::ModelRef;

/// Flags that determine the agents.
pub(super) struct Flags<'a> {
    pub guidance: &'a GuidanceArgs,
    pub tools: &'a ToolArgs,
    pub values: &'a [String],
    pub servers: &'a [McpServer],
    pub hooks: &'a HookArgs,
    pub web: &'a WebArgs,
}

/// Whether the settings are for a new run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// A new run. Limits without effect are warned about.
    New,
    /// A cell of a sweep. Limits without effect are errors, so that no two cells are equal.
    Cell,
    /// A resumed run. An earlier version may have accepted settings without effect; its run can
    /// still be finished, because the labels are already recorded.
    Resume,
}

/// Result of resolving the flags.
pub(super) struct Agents {
    pub treatment: Treatment,
    /// Name of the applied profile.
    pub profile: Option<String>,
    /// Definition of the root.
    pub definition: Option<Definition>,
    /// Models of agents below the root, unless a call names another.
    pub assigned: ModelAssignments<ModelRef>,
    pub effective: Effective,
    pub sent: Sent,
}

impl Flags<'_> {
    /// Builds a treatment from the flags and from `given`, rejecting settings without effect.
    /// Without a model, `--profile auto` finds no profile. Its drivers that do not fit the root's
    /// prompt are left out, with a note.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag; [`SettingsError::Inert`] for one without
    /// effect.
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
            prompt_mode: args.prompt_mode,
            drivers: guidance.drivers.clone(),
            hooks,
            tools: equipped.all.clone(),
            overrides: layers.overrides.clone(),
            root,
            max_depth: args.max_depth,
            web,
            compaction: args.long_conversations.of_agents(),
            answer_schema: guidance.answer_schema.clone(),
            code_via_tool: args.code_format == CodeFormat::Tool,
            aliases: guidance.aliases.clone(),
            assigned: as_texts(&guidance.assigned),
            brought: Brought {
                profile: profile.map(|name| (name.to_owned(), guidance.of_profile.clone())),
                tools: equipped.of_definition.clone(),
            },
            ..given
        };
        if start != RunMode::Resume {
            let claims = self.claims(&guidance, &treatment);
            let is_harmless = |claim: &Claim| start == RunMode::New && claim.is_limit();
            let (limits, labels): (Vec<_>, Vec<_>) = claims.into_iter().partition(is_harmless);
            treatment.check(&labels)?;
            warnings.extend(
                treatment
                    .check(&limits)
                    .err()
                    .map(|inert| inert.to_string()),
            );
        }
        // A tool that the root's definition also names would stay without the flag.
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
                "--prompts-dir: ignored, because they do not change any agent's prompt: {}",
                idle.join(", ")
            ));
        }
        let effective = treatment.effective();
        let mut profile = guidance.profile;
        if effective.drivers.len() < treatment.drivers.len() {
            // Named drivers are present; the others come from the profile that matched the model.
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
                sent: treatment.sent(),
                profile,
                definition: guidance.layers.definition,
                assigned: guidance.assigned,
                effective,
                treatment,
            },
            notes,
            warnings,
        })
    }

    /// Rejects servers whose tools no agent of the run can call.
    fn check_servers(&self, run: &Treatment, tools: &[String]) -> Result<(), SettingsError> {
        for server in self.servers {
            let is_its = |tool: &&String| tool.starts_with(&format!("{}.", server.name));
            let claim = tools.iter().find(is_its).cloned().map(Claim::Tool);
            if claim.is_some_and(|claim| run.check(&[claim]).is_err()) {
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

    /// Returns the profile if it was named. An auto-matched profile is not an explicit setting and
    /// implies no other.
    fn typed_profile<'a>(&self, guidance: &'a Guidance) -> Option<&'a str> {
        let is_named = ![AUTO, NONE].contains(&self.guidance.profile.trim());
        guidance.profile.as_deref().filter(|_| is_named)
    }

    /// Returns the settings that differ from their defaults.
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
        let layers = &run.overrides;
        let named_models = &guidance.layers.named_models;
        let args = self.guidance;
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
            (Setting::CodeFormat, run.code_via_tool),
            (Setting::StopEarly, run.stop_early),
            (Setting::WebAgent, self.web.web_agent.is_some()),
            (Setting::DumpText, run.dump.text),
            (Setting::DumpAlso, !self.web.dump_include.is_empty()),
            (Setting::ReplApi, layers.repl_api != ReplApi::default()),
            (Setting::AnswerSchema, run.answer_schema.is_some()),
            (
                Setting::Compaction,
                run.compaction.how != Compact::default(),
            ),
            (
                Setting::CompactionAt,
                args.long_conversations.compaction_at.is_some(),
            ),
            (
                Setting::CompactionKeep,
                run.compaction.keep != DEFAULT_KEPT_TURNS,
            ),
        ];
        let given = settings.into_iter().filter(|(_, is_given)| *is_given);
        claims.extend(given.map(|(setting, _)| Claim::Setting(setting)));
        claims.extend(ReplSetting::given(&run.repl).map(Claim::Repl));
        claims.extend(ProtocolSetting::given(&run.settings).map(Claim::Protocol));
        let definition = layers.definition.as_ref();
        claims.extend(definition.map(|definition| Claim::Prompt(definition.name.clone())));
        let drivers = names(&self.guidance.drivers);
        if let Some(profile) = self.typed_profile(guidance) {
            let of_profile = guidance.of_profile.iter().cloned();
            let only: Vec<String> = of_profile.filter(|name| !drivers.contains(name)).collect();
            // A profile whose drivers are all named is covered by them.
            claims.extend((!only.is_empty()).then(|| Claim::Profile {
                name: profile.to_owned(),
                drivers: only,
            }));
        }
        claims.extend(drivers.into_iter().map(Claim::Driver));
        claims.extend(names(&self.tools.tools).into_iter().map(Claim::Tool));
        claims.extend(names(&self.hooks.hooks).into_iter().map(Claim::Hook));
        // A definition that names an alias uses it, wherever the definition is called.
        let is_named = |alias: &&ModelAlias| !named_models.contains(&alias.alias);
        let aliases = guidance.aliases.iter().filter(is_named);
        claims.extend(aliases.map(|alias| Claim::ModelAlias(alias.alias.clone())));
        let assigned = &guidance.assigned;
        claims.extend(assigned.children.as_ref().map(|_| Claim::ChildModel));
        claims.extend(assigned.calls.as_ref().map(|_| Claim::LlmModel));
        claims.extend(assigned.summaries.as_ref().map(|_| Claim::CompactionModel));
        claims.extend(assigned.at_depth.keys().copied().map(Claim::ModelAtDepth));
        claims
    }
}

fn as_texts(assigned: &ModelAssignments<ModelRef>) -> ModelAssignments<String> {
    let text = |_: &str, model: &ModelRef| Ok::<_, Infallible>(model.to_string());
    let Ok(texts) = assigned.try_map(text);
    texts
}

/// Returns the flags as if the setting had not been given.
///
/// # Errors
/// A sentence about a flag that cannot be parsed again.
pub fn clear_flag(args: &EngineArgs, claim: &Claim) -> Result<EngineArgs, String> {
    let claim = claim.to_string();
    let (flag, value) = claim.split_once(' ').unwrap_or((&claim, ""));
    let flag = flag.trim_start_matches('-').replace('-', "_");
    let mut flags = fields(args);
    forget(&mut flags, &flag, value);
    recorded(&Value::Object(flags))
}

/// Removes a flag from recorded ones: from a list, only the given value, which may continue after a
/// `=`; a text also if it comes from a file.
fn forget(flags: &mut Map<String, Value>, flag: &str, value: &str) {
    for (name, given) in flags {
        let ending = name.strip_prefix(flag);
        match given {
            Value::Object(group) => forget(group, flag, value),
            _ if !matches!(ending, Some("" | "es" | "_file")) => {}
            Value::Array(values) => values.retain(|one| {
                let one = one.as_str().unwrap_or_default();
                one.split('=').next().map(str::trim) != Some(value)
            }),
            _ if flag == "profile" => *given = NONE.into(),
            _ => *given = Value::Null,
        }
    }
}
