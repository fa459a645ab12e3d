//! The description of a folder's benchmark, and the fields that it names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::user_environment::EnvironmentFields;

/// Contents of `benchmark.yaml`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Description {
    /// One-line description for people, which the program does not use.
    #[serde(rename = "description")]
    _for_people: String,
    /// File of rows, relative to the folder; defaults to all files of rows in the folder.
    pub(super) data: Option<PathBuf>,
    /// Field names by role.
    pub(super) fields: BTreeMap<Role, String>,
    /// Query template, with `<name>` for the field `name` of the row; defaults to the query field.
    pub(super) query: Option<String>,
    /// Fields for grouping results; defaults to all short fields without another role.
    pub(super) metadata: Option<Vec<String>>,
    /// Name of a scorer, or a JavaScript file relative to the folder.
    pub(super) scorer: Option<String>,
}

/// Role of a field. Each role has the name of its default field.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    Id,
    Query,
    Context,
    ContextFile,
    Expected,
    Cluster,
    Images,
    Url,
    Site,
    Command,
    Address,
    Allow,
    Cookies,
    Storage,
    Viewport,
    Documents,
    Turns,
    Selection,
    Check,
}

impl Role {
    pub(super) const fn default_name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Query => "query",
            Self::Context => "context",
            Self::ContextFile => "context_file",
            Self::Expected => "expected",
            Self::Cluster => "cluster",
            Self::Images => "images",
            Self::Url => "url",
            Self::Site => "site",
            Self::Command => "command",
            Self::Address => "address",
            Self::Allow => "allow",
            Self::Cookies => "cookies",
            Self::Storage => "storage",
            Self::Viewport => "viewport",
            Self::Documents => "documents",
            Self::Turns => "turns",
            Self::Selection => "selection",
            Self::Check => "check",
        }
    }
}

/// Name of the field for each role: the name in the description, or the default.
pub(super) struct Fields {
    pub(super) id: String,
    pub(super) query: String,
    pub(super) context: String,
    pub(super) context_file: String,
    pub(super) expected: String,
    pub(super) cluster: String,
    pub(super) images: String,
    pub(super) world: EnvironmentFields,
}

impl Fields {
    pub(super) fn new(named: &BTreeMap<Role, String>) -> Self {
        let name = |role: Role| {
            named
                .get(&role)
                .map_or(role.default_name(), String::as_str)
                .to_owned()
        };
        Self {
            id: name(Role::Id),
            query: name(Role::Query),
            context: name(Role::Context),
            context_file: name(Role::ContextFile),
            expected: name(Role::Expected),
            cluster: name(Role::Cluster),
            images: name(Role::Images),
            world: EnvironmentFields {
                url: name(Role::Url),
                site: name(Role::Site),
                command: name(Role::Command),
                address: name(Role::Address),
                allow: name(Role::Allow),
                cookies: name(Role::Cookies),
                storage: name(Role::Storage),
                viewport: name(Role::Viewport),
                documents: name(Role::Documents),
                turns: name(Role::Turns),
                selection: name(Role::Selection),
                check: name(Role::Check),
                named: named.values().cloned().collect(),
                is_null_absent: false,
            },
        }
    }
}
