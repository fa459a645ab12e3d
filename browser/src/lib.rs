//! Web pages as an environment for agents: real Chromium, a fresh profile per attempt, and pages
//! that agents read as text and act on.
//!
//! A [`Pool`] keeps browsers warm and provides one [`Profile`] per attempt, which can reach only
//! the origins of its [`Reach`]. A [`Page`] is one of the profile's tabs: it navigates, acts, and
//! produces a [`Dump`].
//!
//! Invariants: this crate knows nothing about models, prompts or benchmarks. It does not read
//! flags, and reads only the environment variables that [`environment`] lists.

pub mod environment;

mod pool;
mod settings;
mod page;
mod script;
mod dump;
mod input;
mod error;
mod chromium;
mod unprivileged;
mod devtools;
mod keys;
mod wire;
mod tab;
mod frame;
mod gate;
mod reach;
mod address;

pub use chromium::find_program;
pub use dump::Dump;
pub use error::{Error, Result};
pub use page::Page;
pub use pool::{Pool, Profile};
pub use reach::{Origin, OriginError, Reach, ReachError};
pub use settings::Settings;
pub use tab::{Dialog, PageLocation};
