//! Integration tests of harness.
mod prompt_assembly;
mod prompt_drivers;
mod prompt_models;
