//! Integration tests of harness.
mod engine;
mod prompt_assembly;
mod prompt_drivers;
mod prompt_golden;
mod prompt_models;
mod prompt_profiles;
