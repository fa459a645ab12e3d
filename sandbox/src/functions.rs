//! Host functions, which an agent's REPL may have in addition to `rlm()` and `llm()`.

use std::collections::BTreeSet;
use std::sync::Arc;

use oxc_syntax::identifier::is_identifier_name;
use serde::{Deserialize, Serialize};

use crate::name::{NameError, OWN_GLOBALS, check_name};

/// Method names that would change the behavior of their object: `then`, for example, would make it
/// a thenable.
const FORBIDDEN_METHODS: &[&str] = &["__proto__", "then", "toJSON"];

/// Validated names of host functions. A cell calls `await NAME({…})` with one object of named
/// arguments. A name with a dot, such as `page.open`, is a method of a frozen object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFunctions {
    names: Arc<[String]>,
    makers: Arc<[ObjectFactory]>,
    #[serde(default)]
    calls: ModelCalls,
}

/// Functions of a REPL that call models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelCalls {
    /// `rlm()` and `llm()`.
    #[default]
    OfTree,
    /// `agent()` and `llm()`.
    OfProgram,
    /// No such functions.
    None,
}

/// A host function that returns an object with methods: `const agent = await agents.create(kind,
/// name)`, then `await agent.send(message)`. It takes positional arguments, which the host receives
/// as an object whose fields are the argument names. The host returns an object with an `id`, and
/// the REPL adds the methods to this object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectFactory {
    /// Name of the function, which must be valid for [`HostFunctions::new`].
    pub name: String,
    /// Argument names, in order.
    pub takes: Vec<String>,
    /// Methods of the returned object.
    pub methods: Vec<Method>,
}

/// A method of an object that an [`ObjectFactory`] returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Method {
    /// Host function that the method calls with the object's `id`, such as `agents.send`. The part
    /// after the dot is the name of the method.
    pub name: String,
    /// Argument names, in order.
    pub takes: Vec<String>,
}

impl HostFunctions {
    /// Validates names of host functions.
    ///
    /// # Errors
    /// [`NameError`] for the first name that is invalid or conflicts with another.
    pub fn new(names: impl IntoIterator<Item = String>) -> Result<Self, NameError> {
        let names: Vec<String> = names.into_iter().collect();
        let mut whole = BTreeSet::new();
        let mut objects = BTreeSet::new();
        for name in &names {
            let top = check(name)?;
            if !whole.insert(name.as_str()) {
                return Err(NameError::Duplicate(name.clone()));
            }
            if top != name {
                objects.insert(top);
            }
        }
        let both = objects.intersection(&whole).next();
        if let Some(top) = both {
            return Err(NameError::Duplicate((*top).to_owned()));
        }
        Ok(Self {
            names: names.into(),
            makers: Arc::default(),
            calls: ModelCalls::default(),
        })
    }

    /// Adds functions that return objects.
    ///
    /// # Errors
    /// Returns the errors of [`HostFunctions::new`].
    pub fn with_factories(
        &self,
        makers: impl IntoIterator<Item = ObjectFactory>,
    ) -> Result<Self, NameError> {
        let makers: Vec<ObjectFactory> = self.makers.iter().cloned().chain(makers).collect();
        let methods = makers.iter().flat_map(|maker| &maker.methods);
        for method in methods {
            check(&method.name)?;
        }
        let made = makers.iter().map(|maker| maker.name.as_str());
        let all = self.names.iter().map(String::as_str).chain(made);
        Self::new(all.map(str::to_owned))?;
        Ok(Self {
            names: Arc::clone(&self.names),
            makers: makers.into(),
            calls: self.calls,
        })
    }

    /// Selects the model-calling functions of the REPL.
    #[must_use]
    pub fn with_calls(self, calls: ModelCalls) -> Self {
        Self { calls, ..self }
    }

    /// Adds the functions of `others`, or none of them if they conflict with these.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        let all = self.names.iter().chain(others.names.iter()).cloned();
        let makers = self.makers.iter().chain(others.makers.iter()).cloned();
        let both = Self::new(all).and_then(|all| all.with_factories(makers));
        both.unwrap_or_else(|_| self.clone())
    }
}

/// Validates a function's name. Returns the name of its variable: the part before the dot, if any.
fn check(name: &str) -> Result<&str, NameError> {
    let (top, method) = match name.split_once('.') {
        Some((top, method)) => (top, Some(method)),
        None => (name, None),
    };
    let is_method =
        |method: &str| is_identifier_name(method) && !FORBIDDEN_METHODS.contains(&method);
    if !is_identifier_name(top) || !method.is_none_or(is_method) {
        return Err(NameError::NotAFunction(name.to_owned()));
    }
    check_name(top)?;
    if OWN_GLOBALS.binary_search(&top).is_ok() {
        return Err(NameError::Reserved(top.to_owned()));
    }
    Ok(top)
}

#[cfg(test)]
mod tests {
    use super::{HostFunctions, Method, OWN_GLOBALS, ObjectFactory};

    #[test]
    fn validates_names_of_factories() {
        let maker = |name: &str, method: &str| ObjectFactory {
            name: name.to_owned(),
            takes: vec!["kind".to_owned()],
            methods: vec![Method {
                name: method.to_owned(),
                takes: Vec::new(),
            }],
        };
        let functions = HostFunctions::new(["agents.list".to_owned()]).unwrap();
        for (name, method, expected) in [
            ("agents.create", "agents.send", ""),
            ("agents.list", "agents.send", "duplicate function name"),
            ("agents", "agents.send", "duplicate function name"),
            ("agents.create", "agents.then", "\"agents.then\" cannot be"),
            ("agents.a.b", "agents.send", "\"agents.a.b\" cannot be"),
        ] {
            let refused = functions.with_factories([maker(name, method)]).err();
            let refused = refused.map_or(String::new(), |error| error.to_string());
            let right = refused.is_empty() == expected.is_empty();
            assert!(right && refused.starts_with(expected), "{name}: {refused}");
        }
    }

    #[test]
    fn validates_function_names() {
        assert!(OWN_GLOBALS.is_sorted());
        for (names, expected) in [
            ("", ""),
            ("search_docs page.open page.delete $x", ""),
            ("page.a.b", "\"page.a.b\" cannot be the name of a function"),
            ("page.", "\"page.\" cannot be the name of a function"),
            (".open", "\".open\" cannot be the name of a function"),
            ("a-b", "\"a-b\" cannot be the name of a function"),
            (
                "page.then",
                "\"page.then\" cannot be the name of a function",
            ),
            ("page.__proto__", "\"page.__proto__\" cannot be"),
            ("return", "\"return\" cannot be the name of a variable"),
            ("Map", "\"Map\" is a builtin"),
            ("JSON.get", "\"JSON\" is a builtin"),
            ("rlm", "\"rlm\" is reserved"),
            ("console.log", "\"console\" is reserved"),
            ("__repl_x", "\"__repl_x\" is reserved"),
            ("a b a", "duplicate function name \"a\""),
            ("page.open page", "duplicate function name \"page\""),
        ] {
            let given = names.split_whitespace().map(str::to_owned);
            let refused = HostFunctions::new(given).err();
            let refused = refused.map_or(String::new(), |error| error.to_string());
            let right = refused.is_empty() == expected.is_empty();
            assert!(right && refused.starts_with(expected), "{names}: {refused}");
        }
    }
}
