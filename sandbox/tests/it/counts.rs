//! Counts pages and page faults of a session in its own worker. They do not depend on the load of
//! the machine.
//!
//! The bounds are 10% to 20% above the current values. A change that lowers the cost should lower
//! the bounds.

use std::collections::HashSet;

use sandbox::{COMPILES, Config};

use crate::driver::{root_of, run, sandbox};
use crate::process::OwnProgram;

const SESSIONS: u64 = 16;

/// Private memory and page faults of a worker after its first cell, on average.
#[derive(Debug)]
struct Worker {
    /// Kilobytes of pages that the worker changed.
    changed: u64,
    /// Kilobytes of the worker's page tables.
    tables: u64,
    /// Number of page faults: pages that the worker accessed for the first time or changed.
    faults: u64,
    threads: u64,
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_worker_has_few_private_pages() {
    let program = OwnProgram::new("counted-worker");
    let sandbox = sandbox(Config::default(), program.isolation(1));
    // The first session of a server is also a copy, but it makes the server's own pages shared.
    let mut waiting = vec![first_cell(&sandbox).await];
    let first = program.copies();
    for _ in 0..SESSIONS {
        waiting.push(first_cell(&sandbox).await);
    }
    let copies: HashSet<String> = program.copies().difference(&first).cloned().collect();
    assert_eq!(copies.len() as u64, SESSIONS);
    let worker = average(&copies);
    let most = if COMPILES {
        Worker {
            changed: 560,
            tables: 170,
            faults: 400,
            threads: 2,
        }
    } else {
        Worker {
            changed: 950,
            tables: 110,
            faults: 400,
            threads: 2,
        }
    };
    println!("{worker:?}, at most {most:?}");
    assert!(worker.changed <= most.changed, "{worker:?}");
    assert!(worker.tables <= most.tables, "{worker:?}");
    assert!(worker.faults <= most.faults, "{worker:?}");
    assert_eq!(worker.threads, most.threads, "{worker:?}");
}

async fn first_cell(sandbox: &sandbox::Sandbox) -> sandbox::Repl {
    let mut repl = root_of(sandbox, "a context").await;
    assert_eq!(run(&mut repl, "console.log(1 + 1)").await.output, "2");
    repl
}

fn average(workers: &HashSet<String>) -> Worker {
    let mut all = Worker {
        changed: 0,
        tables: 0,
        faults: 0,
        threads: 0,
    };
    for pid in workers {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
        all.changed += number(&read("smaps_rollup"), "Private_Dirty:");
        let status = read("status");
        all.tables += number(&status, "VmPTE:");
        all.threads += number(&status, "Threads:");
        let stat = read("stat");
        // Minor page faults are the tenth field. The second field is a name in parentheses.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        all.faults += fields.split(' ').nth(7).unwrap().parse::<u64>().unwrap();
    }
    let each = |sum: u64| sum / workers.len() as u64;
    Worker {
        changed: each(all.changed),
        tables: each(all.tables),
        faults: each(all.faults),
        threads: each(all.threads),
    }
}

/// Returns the number that follows `word` at the beginning of a line.
fn number(text: &str, word: &str) -> u64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(word))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
