//! `rlm-eval list`: lists benchmarks, models, drivers, scorers and other choices.

mod settings;

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets};
use harness::prompt::{DriverLibrary, Profiles};
use harness::provider::http::{HttpClient, Timeouts};
use harness::settings::PromptMode;
use serde_json::{Value, json};

use super::data::data_is_here;
use super::runtime::runtime;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::models::{self, ModelError};
use crate::process::terminal::one_line;
use crate::providers;
use crate::settings::{
    SettingsError, hook_registry, prompt_library, provider_server, table_width, tool_registry,
};
use settings::List;

pub(crate) use settings::ListArgs;

/// Timeouts of the request for a server's list of models.
const LIST_TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(10),
    idle: Duration::from_secs(30),
    request: Duration::from_secs(30),
};

/// Prints a table, or a JSON array of objects.
///
/// # Errors
/// [`Error`] for an invalid file of the user's, or a server that does not list its models; or
/// [`Error::Stdout`].
pub(super) fn execute(args: &ListArgs) -> Result<Outcome, Error> {
    let listing = match &args.what {
        List::Benchmarks { data_dir } => benchmarks(data_dir.as_deref()),
        List::Scorers => scorers(),
        List::Drivers { drivers_dir } => drivers(drivers_dir.as_deref())?,
        List::Tools { tools_dir } => tools(tools_dir.as_deref())?,
        List::Profiles { profiles_file } => profiles(profiles_file.as_deref())?,
        List::Prompts { prompts_dir } => prompts(prompts_dir.as_deref())?,
        List::Hooks { hooks_dir } => hooks(hooks_dir.as_deref())?,
        List::Models { provider: None, .. } => models(),
        List::Models {
            provider: Some(provider),
            base_url,
            header,
        } => served(provider, base_url.as_deref(), header)?,
    };
    if args.json {
        stdout::write_json(&listing.objects)?;
    } else {
        stdout::write(&listing.table())?;
    }
    Ok(Outcome::Complete)
}

/// One listing in two forms: a table for people and JSON for programs.
struct Listing {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    objects: Vec<Value>,
}

impl Listing {
    fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.to_vec(),
            rows: Vec::new(),
            objects: Vec::new(),
        }
    }

    fn push<const N: usize>(&mut self, row: [&str; N], object: Value) {
        let row = row.map(|cell| one_line(cell).into_owned());
        self.rows.push(row.into());
        self.objects.push(object);
    }

    fn table(&self) -> String {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_header(&self.header)
            .add_rows(&self.rows);
        // If stdout is not a terminal, each row stays on one line for `grep`.
        if io::stdout().is_terminal() {
            table.set_width(table_width());
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let lines: Vec<String> = table
            .lines()
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect();
        lines.concat()
    }
}

fn benchmarks(data_dir: Option<&Path>) -> Listing {
    let mut listing = Listing::new(&["NAME", "SIZE", "SCORER", "DATA", "LICENCE", "SUMMARY"]);
    for entry in benchmarks::catalog() {
        let is_here = entry.needs_data && data_is_here(entry.name, data_dir);
        let data = match (entry.needs_data, is_here) {
            (false, _) => "generated",
            (true, true) => "here",
            (true, false) => "to fetch",
        };
        listing.push(
            [
                entry.name,
                entry.size,
                entry.scorer,
                data,
                entry.license,
                entry.summary,
            ],
            json!({
                "name": entry.name,
                "summary": entry.summary,
                "scorer": entry.scorer,
                "needs_data": entry.needs_data,
                "is_here": is_here || !entry.needs_data,
                "source": entry.source,
                "licence": entry.license,
                "size": entry.size,
            }),
        );
    }
    listing
}

/// Scorers implemented outside the benchmarks crate.
const OUTSIDE_SCORERS: [(&str, &str); 2] = [
    (
        "file:PATH",
        "your JavaScript file with a function score(answer, expected, metadata)",
    ),
    ("judge", "a model as the judge, set with --judge-model"),
];

fn scorers() -> Listing {
    let mut listing = Listing::new(&["NAME", "DESCRIPTION"]);
    let scorers = benchmarks::scorers().map(|scorer| (scorer.name, scorer.summary));
    for (name, description) in scorers.chain(OUTSIDE_SCORERS) {
        let object = json!({"name": name, "description": description});
        listing.push([name, description], object);
    }
    listing
}

fn hooks(folder: Option<&Path>) -> Result<Listing, SettingsError> {
    let registry = hook_registry(folder)?;
    let mut listing = Listing::new(&["NAME", "VERSION", "DESCRIPTION"]);
    for hook in registry.all() {
        let version: String = hook.digest().chars().take(12).collect();
        listing.push(
            [hook.name(), &version, hook.description()],
            json!({"name": hook.name(), "version": hook.digest(), "description": hook.description()}),
        );
    }
    Ok(listing)
}

fn drivers(folder: Option<&Path>) -> Result<Listing, SettingsError> {
    let mut library = DriverLibrary::bundled();
    if let Some(folder) = folder {
        library = library.with_dir(folder)?;
    }
    let mut listing = Listing::new(&["NAME", "PROTOCOLS", "MODES", "SOURCE", "DESCRIPTION"]);
    for driver in library.iter() {
        let modes: Vec<&str> = driver
            .modes
            .iter()
            .copied()
            .map(PromptMode::as_str)
            .collect();
        let protocols: Vec<&str> = driver
            .protocols
            .iter()
            .map(|protocol| protocol.as_str())
            .collect();
        let source = driver.source.to_string();
        listing.push(
            [
                &driver.name,
                &protocols.join(", "),
                &modes.join(", "),
                &source,
                &driver.description,
            ],
            json!({
                "name": driver.name,
                "description": driver.description,
                "protocols": protocols,
                "modes": modes,
                "conflicts": driver.conflicts,
                "source": source,
                "digest": driver.digest,
            }),
        );
    }
    Ok(listing)
}

fn tools(folder: Option<&Path>) -> Result<Listing, SettingsError> {
    // No MCP server is started, so the only code that runs is in the files of the user's folder.
    let registry = tool_registry(folder, &[])?;
    let mut listing = Listing::new(&["NAME", "ARGUMENTS", "DESCRIPTION"]);
    for tool in registry.all() {
        let spec = tool.spec();
        let arguments: Vec<&str> = spec.parameters["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        listing.push(
            [&spec.name, &arguments.join(", "), &spec.description],
            json!({
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
                "variables": tool.variables().iter().map(|variable| &variable.name).collect::<Vec<_>>(),
            }),
        );
    }
    Ok(listing)
}

fn profiles(file: Option<&Path>) -> Result<Listing, SettingsError> {
    let mut profiles = Profiles::bundled();
    if let Some(file) = file {
        profiles = profiles.with_file(file)?;
    }
    let mut listing = Listing::new(&["NAME", "DRIVERS", "MODELS"]);
    for profile in profiles.iter() {
        listing.push(
            [
                &profile.name,
                &profile.drivers.join(", "),
                &profile.models.join(", "),
            ],
            json!({
                "name": profile.name,
                "drivers": profile.drivers,
                "models": profile.models,
            }),
        );
    }
    Ok(listing)
}

fn prompts(folder: Option<&Path>) -> Result<Listing, SettingsError> {
    let mut listing = Listing::new(&["NAME", "KIND", "MODEL", "SOURCE", "DESCRIPTION"]);
    for definition in prompt_library(folder)?.iter() {
        let source = definition.source.to_string();
        let mut object = json!({
            "kind": definition.kind.as_str(),
            "source": source,
            "digest": definition.digest,
        });
        if let (Value::Object(object), Value::Object(properties)) =
            (&mut object, definition.to_json())
        {
            object.extend(properties);
        }
        listing.push(
            [
                &definition.name,
                definition.kind.as_str(),
                &definition.model,
                &source,
                &definition.tool_description,
            ],
            object,
        );
    }
    Ok(listing)
}

fn models() -> Listing {
    let mut listing = Listing::new(&["MODEL", "DESCRIPTION"]);
    for (name, description) in providers::scripts().described() {
        let model = format!("scripted/{name}");
        let object = json!({"model": model, "description": description});
        listing.push([&model, &description], object);
    }
    for (form, description) in providers::model_forms() {
        let object = json!({"model": form, "description": description});
        listing.push([form, description], object);
    }
    listing
}

/// Lists the models that a server reports.
fn served(provider: &str, base_url: Option<&str>, headers: &[String]) -> Result<Listing, Error> {
    let server = provider_server(provider, base_url, headers)?;
    let http = HttpClient::new(LIST_TIMEOUTS).map_err(ModelError::from)?;
    let server = models::open_server(&server, http, false)?;
    let served = runtime()?.block_on(server.models())?;
    let mut listing = Listing::new(&["MODEL", "DESCRIPTION"]);
    for model in served {
        let reference = format!("{}/{}", provider.trim(), model.id);
        let description = model.description.unwrap_or_default();
        let object = json!({"model": reference, "description": description});
        listing.push([&reference, &description], object);
    }
    Ok(listing)
}
