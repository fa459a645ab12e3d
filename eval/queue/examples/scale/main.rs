//! What a queue gains over static shares, and what brokers, submitter and disk must bear at any size: a simulation.
//!
//! `cargo run --release --package queue --example scale` prints the tables of `docs/guides/queue.md`.

#![allow(clippy::print_stdout, reason = "it prints tables")]

mod draw;
mod load;
mod makespan;

fn main() {
    println!("{}", makespan::table());
    println!("{}", load::table());
}
