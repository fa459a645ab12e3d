//! Simulates how much faster a queue is than static shards, and computes the load on broker,
//! submitter and disk for runs of several sizes.
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
