//! Parses the arguments of tools.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serve::Limits;

/// Parses the arguments of a tool.
///
/// # Errors
/// A sentence about the first invalid argument.
pub(super) fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("invalid arguments: {error}"))
}

/// Limits of one call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Budget {
    pub max_cost: Option<f64>,
    pub max_tokens: Option<u64>,
    pub max_llm_calls: Option<u64>,
    pub timeout: Option<f64>,
}

impl Budget {
    /// # Errors
    /// A sentence about an invalid limit; limits are numbers above 0.
    pub(super) fn limits(&self) -> Result<Limits, String> {
        let above_zero = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value <= 1e9) => Err(format!(
                "invalid arguments: invalid {name} {value}: expected a number above 0"
            )),
            value => Ok(value),
        };
        let timeout = above_zero("timeout", self.timeout)?;
        Ok(Limits {
            cost_usd: above_zero("max_cost", self.max_cost)?,
            tokens: self.max_tokens,
            llm_calls: self.max_llm_calls,
            time: timeout.map(Duration::from_secs_f64),
        })
    }
}

/// Returns the list entry that a call names, or the first entry.
///
/// # Errors
/// A sentence with the valid names.
pub(super) fn choose<'a, T>(
    named: Option<&str>,
    offered: &'a [T],
    name: impl Fn(&T) -> &str,
) -> Result<&'a T, String> {
    let found = match named {
        None => offered.first(),
        Some(named) => offered.iter().find(|entry| name(entry) == named),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = offered.iter().map(name).collect();
        format!(
            "invalid arguments: unknown model {:?}: expected one of {}",
            named.unwrap_or_default(),
            known.join(", ")
        )
    })
}
