//! The `eval` binary.

fn main() {}
