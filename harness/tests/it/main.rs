//! Integration tests of the harness.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod conformance;
mod engine;
mod hooks;
mod http;
mod http_bodies;
mod http_endings;
mod json_surrogates;
mod layers;
mod prompt_assembly;
mod prompt_drivers;
mod prompt_golden;
mod prompt_models;
mod prompt_profiles;
mod recorder;
mod tools;
mod treatment;
mod web;
