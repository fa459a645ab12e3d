//! Confirmation of actions before they run.

use crate::prompt::ConfirmPolicy;

impl ConfirmPolicy {
    /// Whether an action that requires confirmation may run.
    pub(super) fn confirms(&self, action: &str) -> bool {
        match self {
            Self::Allow => true,
            Self::Deny => false,
            Self::List(names) => names.contains(action),
        }
    }
}
