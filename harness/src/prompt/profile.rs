//! Profiles: named lists of drivers for model families, matched by globs on model names.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::error::PromptError;
use super::yaml;

/// A named list of drivers for a model family.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name of the profile.
    pub name: String,
    /// Globs for the full model name (`provider/model`), ignoring case; `*` also matches `/`.
    pub models: Vec<String>,
    /// Names of the drivers, in order.
    pub drivers: Vec<String>,
    #[serde(skip)]
    matcher: GlobSet,
}

/// Profiles in order of precedence.
#[derive(Debug, Clone)]
pub struct Profiles {
    profiles: Vec<Profile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfilesFile {
    profiles: Vec<Profile>,
}

impl Profiles {
    /// Returns the bundled profiles.
    pub fn bundled() -> Self {
        let profiles = parse("bundled profiles.yaml", include_str!("../../profiles.yaml"));
        Self {
            profiles: profiles.expect("bundled profiles are valid"),
        }
    }

    /// Adds the profiles of a file. They take precedence over the known profiles, and replace those
    /// with the same name.
    ///
    /// # Errors
    /// Returns [`PromptError::Invalid`] if the file cannot be read or has a fault.
    pub fn with_file(self, path: &Path) -> Result<Self, PromptError> {
        let text = crate::text::read_text_file(path)
            .map_err(|error| PromptError::unreadable(path, &error))?;
        let mut profiles = parse(&path.display().to_string(), &text)?;
        let kept: Vec<Profile> = self
            .profiles
            .into_iter()
            .filter(|known| profiles.iter().all(|new| new.name != known.name))
            .collect();
        profiles.extend(kept);
        Ok(Self { profiles })
    }

    /// Returns all profiles, in order of precedence.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.profiles.iter()
    }

    /// Returns the profile with this name.
    ///
    /// # Errors
    /// Returns [`PromptError::UnknownProfile`] with the most similar name.
    pub fn by_name(&self, name: &str) -> Result<&Profile, PromptError> {
        self.profiles
            .iter()
            .find(|profile| profile.name == name)
            .ok_or_else(|| PromptError::UnknownProfile {
                name: name.to_owned(),
                known: self
                    .profiles
                    .iter()
                    .map(|profile| profile.name.clone())
                    .collect(),
            })
    }

    /// Returns the first profile that has a glob matching the full model name.
    pub fn for_model(&self, model: &str) -> Option<&Profile> {
        self.profiles
            .iter()
            .find(|profile| profile.matcher.is_match(model))
    }
}

fn parse(origin: &str, text: &str) -> Result<Vec<Profile>, PromptError> {
    let file: ProfilesFile = yaml::parse(origin, text)?;
    let mut profiles: Vec<Profile> = Vec::with_capacity(file.profiles.len());
    for (at, mut profile) in file.profiles.into_iter().enumerate() {
        let invalid = |field: &str, problem: &str| {
            let place = format!("{origin}: field `profiles[{at}].{field}`");
            PromptError::Invalid(format!("{place}: {problem}"))
        };
        if profile.name.trim().is_empty() {
            return Err(invalid("name", "expected a name"));
        }
        if profiles.iter().any(|earlier| earlier.name == profile.name) {
            return Err(invalid("name", &format!("duplicate `{}`", profile.name)));
        }
        profile.matcher =
            globs(&profile.models).map_err(|error| invalid("models", &error.to_string()))?;
        profiles.push(profile);
    }
    Ok(profiles)
}

fn globs(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).case_insensitive(true).build()?);
    }
    set.build()
}
