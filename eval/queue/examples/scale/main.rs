//! Simulates what a queue gains over static shards, and the load on brokers, submitter and disk at
//! any size.
//!
//! `cargo run --release --package queue --example scale` prints the tables of
//! `docs/guides/queue.md`.

#![allow(clippy::print_stdout, reason = "it prints tables")]

mod draw;
mod load;
mod makespan;

fn main() {
    println!("{}", makespan::table());
    println!("{}", load::table());
}
