//! A bare worker process, for the tests of this crate.

fn main() {
    sandbox::worker_main();
}
