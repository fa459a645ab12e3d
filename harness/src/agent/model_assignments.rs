//! Default models of agents below the root, and of summaries.

use std::collections::BTreeMap;

/// Models for agents below the root, by kind and depth, and for summaries. `T` is a model or a
/// value that represents one. Agents without an assignment use the run's main model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAssignments<T> {
    /// `--child-model`: for agents called with `rlm()` or by the name of a prompt.
    pub children: Option<T>,
    /// `--llm-model`: for `llm()` calls.
    pub calls: Option<T>,
    /// `--model-at-depth`: for agents at each depth and, without `--llm-model`, for `llm()` calls
    /// at that depth.
    pub at_depth: BTreeMap<u32, T>,
    /// `--compaction-model`: for summaries of conversations.
    pub summaries: Option<T>,
}

/// Kind of caller that queries a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerRole {
    /// An agent.
    Agent,
    /// An `llm()` call.
    Call,
}

impl<T> Default for ModelAssignments<T> {
    fn default() -> Self {
        Self {
            children: None,
            calls: None,
            at_depth: BTreeMap::new(),
            summaries: None,
        }
    }
}

impl<T> ModelAssignments<T> {
    /// Returns the model assigned to an agent or a call at this depth. The root's children are at
    /// depth 1.
    pub fn of(&self, asker: CallerRole, depth: u32) -> Option<&T> {
        let at_depth = self.at_depth.get(&depth);
        match asker {
            CallerRole::Agent => at_depth.or(self.children.as_ref()),
            CallerRole::Call => self.calls.as_ref().or(at_depth),
        }
    }

    /// Returns all assigned models with their flags, for example `--child-model` or
    /// `--model-at-depth 2`.
    pub fn iter(&self) -> impl Iterator<Item = (String, &T)> {
        let children = self.children.iter();
        let calls = self.calls.iter();
        let summaries = self.summaries.iter();
        children
            .map(|model| ("--child-model".to_owned(), model))
            .chain(calls.map(|model| ("--llm-model".to_owned(), model)))
            .chain(
                (self.at_depth.iter())
                    .map(|(depth, model)| (format!("--model-at-depth {depth}"), model)),
            )
            .chain(summaries.map(|model| ("--compaction-model".to_owned(), model)))
    }

    /// Converts each assigned value with `change`, which receives the flag and the value.
    ///
    /// # Errors
    /// Returns the first error of a conversion.
    pub fn try_map<U, E>(
        &self,
        mut change: impl FnMut(&str, &T) -> Result<U, E>,
    ) -> Result<ModelAssignments<U>, E> {
        let children = self.children.as_ref();
        let children = children
            .map(|model| change("--child-model", model))
            .transpose()?;
        let calls = self.calls.as_ref();
        let calls = calls
            .map(|model| change("--llm-model", model))
            .transpose()?;
        let summaries = self.summaries.as_ref();
        let summaries = summaries
            .map(|model| change("--compaction-model", model))
            .transpose()?;
        let at_depth = self.at_depth.iter().map(|(depth, model)| {
            Ok((*depth, change(&format!("--model-at-depth {depth}"), model)?))
        });
        Ok(ModelAssignments {
            children,
            calls,
            at_depth: at_depth.collect::<Result<_, E>>()?,
            summaries,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CallerRole, ModelAssignments};

    #[test]
    fn prefers_depth_for_agents_and_llm_model_for_calls() {
        let none = ModelAssignments::<&str>::default();
        let at_depth = [(2, "at two")].into();
        let all = ModelAssignments {
            children: Some("child"),
            calls: Some("call"),
            at_depth,
            summaries: Some("summary"),
        };
        let without_calls = ModelAssignments {
            calls: None,
            ..all.clone()
        };
        for (assigned, asker, depth, expected) in [
            (&none, CallerRole::Agent, 1, None),
            (&none, CallerRole::Call, 1, None),
            (&all, CallerRole::Agent, 1, Some("child")),
            (&all, CallerRole::Agent, 2, Some("at two")),
            (&all, CallerRole::Agent, 3, Some("child")),
            (&all, CallerRole::Call, 1, Some("call")),
            (&all, CallerRole::Call, 2, Some("call")),
            (&without_calls, CallerRole::Call, 1, None),
            (&without_calls, CallerRole::Call, 2, Some("at two")),
        ] {
            let given = assigned.of(asker, depth).copied();
            assert_eq!(given, expected, "{asker:?} at {depth}");
        }
        let flags: Vec<String> = all.iter().map(|(flag, _)| flag).collect();
        assert_eq!(
            flags,
            [
                "--child-model",
                "--llm-model",
                "--model-at-depth 2",
                "--compaction-model"
            ]
        );
        let mapped = all.try_map(|flag, model| Ok::<_, ()>(format!("{flag} {model}")));
        let mapped = mapped.unwrap();
        assert_eq!(mapped.calls.as_deref(), Some("--llm-model call"));
        assert_eq!(mapped.at_depth[&2], "--model-at-depth 2 at two");
    }
}
