//! What agents are told: drivers and profile by name become texts, aliases become a table.

use harness::prompt::{
    Driver, DriverLibrary, ModelAlias, Profile, Profiles, PromptMode, parse_aliases, warnings,
};
use harness::{Protocol, idle_properties};

use super::bounds::within;
use super::layers::{self, LayerSettings};
use super::model_ref::profile_name;
use super::name_list::names;
use super::{Resolved, SettingsError};
use crate::cli::{CodeVia, GuidanceArgs};

/// What shapes the prompts of a delegation tree.
#[derive(Debug, Clone)]
pub(super) struct Guidance {
    pub prompt_mode: PromptMode,
    pub protocol: Protocol,
    pub max_depth: u32,
    /// Those of the profile, then those named by the user.
    pub drivers: Vec<Driver>,
    /// The profile that was applied.
    pub profile: Option<String>,
    pub aliases: Vec<ModelAlias>,
    pub code_via_tool: bool,
    pub layers: LayerSettings,
}

/// The names of the models that agents may call.
///
/// # Errors
/// [`SettingsError`] for an alias that is wrong.
pub fn alias_names(args: &GuidanceArgs) -> Result<Vec<String>, SettingsError> {
    let aliases = parse_aliases(&names(&args.model_aliases))?;
    Ok(aliases.into_iter().map(|alias| alias.alias).collect())
}

/// Deeper trees than this are most likely a slip of the hand: agents below depth 2 have 3 iterations.
const DEEPEST: u32 = 16;

/// Checks that mode, protocol and depth go together, and finds drivers, profile and aliases. Without a
/// model, `--profile auto` finds none.
///
/// # Errors
/// A [`SettingsError`] that says what does not fit, or which name or file is wrong.
pub(super) fn resolve(
    args: &GuidanceArgs,
    model: Option<&str>,
) -> Result<Resolved<Guidance>, SettingsError> {
    let max_depth = within("--max-depth", args.max_depth, &(1..=DEEPEST))?;
    if args.prompt_mode == PromptMode::Coordinator {
        if args.protocol != Protocol::Rlm {
            return Err(SettingsError::CoordinatorWithoutRepl {
                protocol: args.protocol,
            });
        }
        if max_depth < 2 {
            return Err(SettingsError::NothingToDelegateTo { max_depth });
        }
    }

    let mut library = DriverLibrary::bundled();
    if let Some(folder) = &args.drivers_dir {
        library = library.with_dir(folder)?;
    }
    let mut notes = Vec::new();
    let mut driver_names = Vec::new();
    let profile = profile(args, model)?;
    if let Some(Profile { name, drivers, .. }) = &profile {
        library
            .resolve(drivers)
            .map_err(|problem| SettingsError::ProfileDriver {
                profile: name.clone(),
                problem,
            })?;
        driver_names.clone_from(drivers);
        if args.profile == AUTO {
            notes.push(format!(
                "profile `{name}` matches the model and adds the drivers {}; --profile none leaves them out",
                drivers.join(", ")
            ));
        }
    }
    driver_names.extend(names(&args.drivers));
    let drivers = library.resolve(&driver_names)?;

    let aliases = parse_aliases(&names(&args.model_aliases))?;
    let alias_names: Vec<String> = aliases.iter().map(|alias| alias.alias.clone()).collect();
    let (layers, of_layers) = layers::resolve(&args.layers, &alias_names, !drivers.is_empty())?;
    let mut warnings = warnings(args.prompt_mode, &drivers);
    warnings.extend(of_layers);
    warnings.extend(idle(&layers, args.protocol));

    Ok(Resolved {
        warnings,
        notes,
        settings: Guidance {
            prompt_mode: args.prompt_mode,
            protocol: args.protocol,
            max_depth,
            drivers,
            profile: profile.map(|profile| profile.name),
            aliases,
            code_via_tool: args.code_via == CodeVia::Tool,
            layers,
        },
    })
}

/// What of the root's definition does nothing in this protocol.
fn idle(layers: &LayerSettings, protocol: Protocol) -> Option<String> {
    let definition = layers.definition.as_ref()?;
    if protocol == Protocol::AgentTurn {
        return Some(
            "--prompt does nothing in the agent-turn protocol, whose prompt is made of --web-agent"
                .to_owned(),
        );
    }
    let idle = idle_properties(definition, protocol);
    (!idle.is_empty()).then(|| {
        format!(
            "of the definition `{}` these properties do nothing in the {protocol} protocol: {}",
            definition.name,
            idle.join(", ")
        )
    })
}

/// Stands for the profile that matches the model.
const AUTO: &str = "auto";
/// Stands for no profile.
const NONE: &str = "none";

fn profile(args: &GuidanceArgs, model: Option<&str>) -> Result<Option<Profile>, SettingsError> {
    let mut profiles = Profiles::bundled();
    if let Some(file) = &args.profiles_file {
        profiles = profiles.with_file(file)?;
    }
    Ok(match args.profile.trim() {
        AUTO => model
            .and_then(profile_name)
            .and_then(|model| profiles.for_model(model))
            .cloned(),
        NONE => None,
        name => Some(profiles.by_name(name)?.clone()),
    })
}
