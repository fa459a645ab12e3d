//! Measures other programs and `eval` alternately on samples of two iterations, over HTTP.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, Provider, SuiteError, cost_of, log_progress, ms_each};
use crate::plan::Plan;
use crate::report::Figure;

/// A program to compare with.
struct Peer {
    name: String,
    command: Command,
    samples: usize,
    concurrency: &'static str,
}

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let mut figures = Vec::new();
    for mut peer in peers(bench)? {
        peer.command
            .env("BASE_URL", bench.server.url())
            .env("SAMPLES", peer.samples.to_string())
            .env("CONCURRENCY", peer.concurrency);
        let mut theirs = (Vec::new(), Vec::new());
        let mut ours = (Vec::new(), Vec::new());
        for _ in 0..bench.size(3, 1) {
            let cost = crate::cost::measure(&mut peer.command, false)?;
            theirs.0.push(ms_each(cost.wall, peer.samples));
            theirs.1.push(ms_each(cost.cpu, peer.samples));
            let samples = bench.size(500, 8);
            let flags = ["--concurrency", peer.concurrency];
            let plan = Plan::Loop { iterations: 2 };
            let cost = cost_of(bench.run_samples(samples, &plan, Provider::Http, &flags)?)?;
            bench.put_results_aside();
            ours.0.push(ms_each(cost.wall, samples));
            ours.1.push(ms_each(cost.cpu, samples));
        }
        let name = format!("a sample of {}, {} concurrent", peer.name, peer.concurrency);
        for (unit, what, theirs, ours) in [
            ("ms", "time", theirs.0, ours.0),
            ("ms CPU", "CPU", theirs.1, ours.1),
        ] {
            let theirs = Figure::new("peers", &name, unit, theirs);
            let ours = Figure::new("peers", "", unit, ours).least;
            let ratio = theirs.least / ours;
            figures.push(theirs);
            let name = format!("{} / eval (isolation process): {what}", peer.name);
            figures.push(Figure::new("peers", name, "times", vec![ratio]));
        }
    }
    Ok(figures)
}

fn peers(bench: &Bench) -> Result<Vec<Peer>, SuiteError> {
    let installed = &bench.arguments.peers_dir;
    let mut peers = Vec::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    if installed.join("installed").exists() {
        let installed = fs::canonicalize(installed)?;
        let mut rllm = Command::new("node");
        rllm.arg(here.join("rllm.mjs"))
            .current_dir(installed.join("node"));
        let mut rlms = Command::new(installed.join("python/bin/python"));
        rlms.arg(here.join("rlms.py"))
            .current_dir(installed.join("python"));
        for (name, command, samples, concurrency) in [
            ("rllm", rllm, bench.size(300, 4), "16"),
            ("rlms", rlms, bench.size(10, 1), "1"),
        ] {
            let name = name.to_owned();
            peers.push(Peer {
                name,
                command,
                samples,
                concurrency,
            });
        }
    } else {
        log_progress("peers: rllm and rlms are skipped: run scripts/install-perf-peers.sh first");
    }
    for given in &bench.arguments.peer {
        let (name, line) = given
            .split_once('=')
            .ok_or_else(|| format!("invalid --peer `{given}`: expected NAME=COMMAND"))?;
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        let name = name.to_owned();
        peers.push(Peer {
            name,
            command,
            samples: bench.size(100, 4),
            concurrency: "16",
        });
    }
    Ok(peers)
}
