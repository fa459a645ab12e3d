//! The models of a run, keyed by the purpose that each of them serves.

use std::fmt;

use crate::prompt::ModelAlias;

pub(crate) const MODEL_ALIAS: &str = "--model-alias";
pub(crate) const CHILD_MODEL: &str = "--child-model";
pub(crate) const LLM_MODEL: &str = "--llm-model";
pub(crate) const MODEL_AT_DEPTH: &str = "--model-at-depth";
pub(crate) const COMPACTION_MODEL: &str = "--compaction-model";

/// Purpose of a model in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSlot {
    /// Model of the root, and of every purpose without a model of its own.
    Main,
    /// Model that agents may call by this name.
    Alias(String),
    /// Model of agents called with `rlm()` or by the name of a prompt.
    Child,
    /// Model of `llm()` calls.
    Llm,
    /// Model of agents at this depth and, without [`ModelSlot::Llm`], of `llm()` calls there.
    Depth(u32),
    /// Model that writes summaries of conversations.
    Summaries,
}

impl ModelSlot {
    /// Returns the flag that sets the slot's model.
    pub const fn flag(&self) -> &'static str {
        match self {
            Self::Main => "--model",
            Self::Alias(_) => MODEL_ALIAS,
            Self::Child => CHILD_MODEL,
            Self::Llm => LLM_MODEL,
            Self::Depth(_) => MODEL_AT_DEPTH,
            Self::Summaries => COMPACTION_MODEL,
        }
    }

    /// Returns the alias or the depth; empty for other slots.
    pub fn value(&self) -> String {
        match self {
            Self::Alias(name) => name.clone(),
            Self::Depth(depth) => depth.to_string(),
            Self::Main | Self::Child | Self::Llm | Self::Summaries => String::new(),
        }
    }

    /// Returns the key of the slot in records: `child_model`, `model_at_depth_2`.
    pub fn key(&self) -> String {
        let text = self.to_string();
        text.trim_start_matches('-').replace(['-', ' '], "_")
    }

    /// Returns the position in a [`ModelMap`]. Aliases have the same position.
    const fn position(&self) -> (u8, u32) {
        match self {
            Self::Main => (0, 0),
            Self::Alias(_) => (1, 0),
            Self::Child => (2, 0),
            Self::Llm => (3, 0),
            Self::Depth(depth) => (4, *depth),
            Self::Summaries => (5, 0),
        }
    }
}

/// Formats the slot as on a command line: `--child-model`, `--model-at-depth 2`.
impl fmt::Display for ModelSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.flag())?;
        let value = self.value();
        if value.is_empty() {
            return Ok(());
        }
        write!(f, " {value}")
    }
}

/// Kind of caller that queries a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerRole {
    /// An agent.
    Agent,
    /// An `llm()` call.
    Call,
}

/// Models of a run by slot. `T` is a model or a value that represents one.
///
/// The order of iteration is the order of records and messages: the main model, the aliases in the
/// order of their insertion, which is that of the table in prompts, then the models of children, of
/// `llm()` calls, of each depth, and of summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelMap<T> {
    main: T,
    /// Models of the other slots, in order.
    others: Vec<Entry<T>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry<T> {
    slot: ModelSlot,
    /// Tags that describe the purpose of an alias.
    tags: Vec<String>,
    model: T,
}

impl<T> ModelMap<T> {
    /// Creates a map in which all agents use the `main` model.
    pub const fn new(main: T) -> Self {
        Self {
            main,
            others: Vec::new(),
        }
    }

    /// Sets the model of a slot, and returns the slot's previous model.
    pub fn insert(&mut self, slot: ModelSlot, model: T) -> Option<T> {
        self.insert_tagged(slot, Vec::new(), model)
    }

    fn insert_tagged(&mut self, slot: ModelSlot, tags: Vec<String>, model: T) -> Option<T> {
        if slot == ModelSlot::Main {
            return Some(std::mem::replace(&mut self.main, model));
        }
        let entry = Entry { slot, tags, model };
        let mut others = self.others.iter_mut();
        if let Some(known) = others.find(|known| known.slot == entry.slot) {
            return Some(std::mem::replace(known, entry).model);
        }
        let position = entry.slot.position();
        let is_before = |other: &Entry<T>| other.slot.position() <= position;
        let at = self.others.partition_point(is_before);
        self.others.insert(at, entry);
        None
    }

    /// Removes the model of a slot. The main model stays.
    pub fn remove(&mut self, slot: &ModelSlot) {
        self.others.retain(|entry| entry.slot != *slot);
    }

    /// Returns the main model.
    pub const fn main(&self) -> &T {
        &self.main
    }

    /// Returns the model of a slot, if one is set.
    pub fn get(&self, slot: &ModelSlot) -> Option<&T> {
        let mut all = self.iter();
        all.find_map(|(other, model)| (other == slot).then_some(model))
    }

    /// Returns the model of an alias.
    pub fn alias(&self, name: &str) -> Option<&T> {
        let mut aliases = self.aliases();
        aliases.find_map(|(alias, model)| (alias == name).then_some(model))
    }

    /// Returns the tags of an alias.
    pub fn tags(&self, name: &str) -> &[String] {
        let is_named = |slot: &ModelSlot| matches!(slot, ModelSlot::Alias(alias) if alias == name);
        let mut others = self.others.iter();
        let entry = others.find(|entry| is_named(&entry.slot));
        entry.map_or(&[], |entry| entry.tags.as_slice())
    }

    /// Returns the model of an agent or a call that names no model. The root has depth 0, and its
    /// children and calls have depth 1.
    pub fn of(&self, role: CallerRole, depth: u32) -> &T {
        self.assigned(role, depth).unwrap_or(&self.main)
    }

    /// Returns the model of [`ModelMap::of`] if a slot other than the main one determines it.
    pub fn assigned(&self, role: CallerRole, depth: u32) -> Option<&T> {
        let at_depth = || self.get(&ModelSlot::Depth(depth));
        match role {
            CallerRole::Agent if depth == 0 => None,
            CallerRole::Agent => at_depth().or_else(|| self.get(&ModelSlot::Child)),
            CallerRole::Call => self.get(&ModelSlot::Llm).or_else(at_depth),
        }
    }

    /// Returns all models with their slots, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&ModelSlot, &T)> + Clone {
        let others = self.others.iter();
        let main = std::iter::once((&ModelSlot::Main, &self.main));
        main.chain(others.map(|entry| (&entry.slot, &entry.model)))
    }

    /// Returns the aliases with their models, in order.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &T)> {
        self.iter().filter_map(|(slot, model)| match slot {
            ModelSlot::Alias(name) => Some((name.as_str(), model)),
            _ => None,
        })
    }

    /// Returns the models of callers that name no model, except the main model, in order.
    pub fn assignments(&self) -> impl Iterator<Item = (&ModelSlot, &T)> {
        let is_default = |slot: &ModelSlot| !matches!(slot, ModelSlot::Main | ModelSlot::Alias(_));
        self.iter().filter(move |(slot, _)| is_default(slot))
    }

    /// Converts each model with `change`, in order.
    ///
    /// # Errors
    /// Returns the first error of a conversion.
    pub fn try_map<U, E>(
        &self,
        mut change: impl FnMut(&ModelSlot, &T) -> Result<U, E>,
    ) -> Result<ModelMap<U>, E> {
        let main = change(&ModelSlot::Main, &self.main)?;
        let others = self.others.iter().map(|entry| {
            Ok(Entry {
                model: change(&entry.slot, &entry.model)?,
                slot: entry.slot.clone(),
                tags: entry.tags.clone(),
            })
        });
        Ok(ModelMap {
            main,
            others: others.collect::<Result<_, E>>()?,
        })
    }
}

impl ModelMap<String> {
    /// Sets the model of an alias, and returns the alias's previous model.
    pub fn insert_alias(&mut self, alias: ModelAlias) -> Option<String> {
        self.insert_tagged(ModelSlot::Alias(alias.alias), alias.tags, alias.model)
    }

    /// Returns the aliases as prompts and records show them, in order.
    pub fn described_aliases(&self) -> Vec<ModelAlias> {
        let described = |(name, model): (&str, &String)| ModelAlias {
            alias: name.to_owned(),
            model: model.clone(),
            tags: self.tags(name).to_vec(),
        };
        self.aliases().map(described).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{CallerRole, ModelMap, ModelSlot};

    fn all() -> ModelMap<String> {
        let mut models = ModelMap::new("main".to_owned());
        let mut insert =
            |slot, model: &str| assert_eq!(models.insert(slot, model.to_owned()), None);
        insert(ModelSlot::Summaries, "summary");
        insert(ModelSlot::Depth(3), "at three");
        insert(ModelSlot::Depth(2), "at two");
        insert(ModelSlot::Llm, "call");
        insert(ModelSlot::Child, "child");
        for spec in ["slow=openai/large:best", "fast=openai/small"] {
            assert_eq!(models.insert_alias(spec.parse().unwrap()), None);
        }
        models
    }

    #[test]
    fn prefers_depth_for_agents_and_llm_model_for_calls() {
        let none = ModelMap::new("main".to_owned());
        let all = all();
        let mut without_calls = all.clone();
        without_calls.remove(&ModelSlot::Llm);
        for (models, role, depth, expected) in [
            (&none, CallerRole::Agent, 1, "main"),
            (&none, CallerRole::Call, 1, "main"),
            (&all, CallerRole::Agent, 0, "main"),
            (&all, CallerRole::Agent, 1, "child"),
            (&all, CallerRole::Agent, 2, "at two"),
            (&all, CallerRole::Agent, 4, "child"),
            (&all, CallerRole::Call, 1, "call"),
            (&all, CallerRole::Call, 2, "call"),
            (&without_calls, CallerRole::Call, 1, "main"),
            (&without_calls, CallerRole::Call, 2, "at two"),
        ] {
            assert_eq!(models.of(role, depth), expected, "{role:?} at {depth}");
            let assigned = models.assigned(role, depth).map(String::as_str);
            let is_main = expected == "main";
            assert_eq!(assigned, (!is_main).then_some(expected));
        }
    }

    #[test]
    fn iterates_in_the_order_of_records() {
        let mut all = all();
        let slots: Vec<(String, String)> = all
            .iter()
            .map(|(slot, _)| (slot.to_string(), slot.key()))
            .collect();
        let expected = [
            ("--model", "model"),
            ("--model-alias slow", "model_alias_slow"),
            ("--model-alias fast", "model_alias_fast"),
            ("--child-model", "child_model"),
            ("--llm-model", "llm_model"),
            ("--model-at-depth 2", "model_at_depth_2"),
            ("--model-at-depth 3", "model_at_depth_3"),
            ("--compaction-model", "compaction_model"),
        ];
        assert_eq!(
            slots,
            expected.map(|(text, key)| (text.to_owned(), key.to_owned()))
        );
        assert_eq!(all.assignments().count(), 5);
        let replaced = all.insert(ModelSlot::Depth(2), "other".to_owned());
        assert_eq!(replaced.as_deref(), Some("at two"));
        assert_eq!(all.iter().count(), expected.len());
    }

    #[test]
    fn conversion_keeps_aliases_with_their_tags() {
        let mapped = all().try_map(|slot, model| Ok::<_, ()>(format!("{slot} {model}")));
        let mapped = mapped.unwrap();
        assert_eq!(mapped.main(), "--model main");
        assert_eq!(
            mapped.get(&ModelSlot::Llm).map(String::as_str),
            Some("--llm-model call")
        );
        assert_eq!(mapped.alias("call"), None);
        let described = mapped.described_aliases();
        let described: Vec<(&str, &str, &[String])> = described
            .iter()
            .map(|alias| (&*alias.alias, &*alias.model, &*alias.tags))
            .collect();
        let best = ["best".to_owned()];
        let expected: [(&str, &str, &[String]); 2] = [
            ("slow", "--model-alias slow openai/large", &best),
            ("fast", "--model-alias fast openai/small", &[]),
        ];
        assert_eq!(described, expected);
        let failed = all().try_map(|slot, _| match slot {
            ModelSlot::Child | ModelSlot::Llm => Err(slot.key()),
            _ => Ok(()),
        });
        assert_eq!(failed, Err("child_model".to_owned()));
    }
}
