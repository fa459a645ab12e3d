//! Random runs against a server with prices: the amount that it bills stays within `--max-cost`.
//!
//! The server's token counts differ from the harness's estimates, so the harness has to learn the
//! ratio. The same bound holds for local runs and, up to 0.2 % of the budget, for queued runs with
//! several workers, even if one is killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use nats_fixture::NatsServer;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::binary::{Binary, Running, is_full};
use crate::faults::run_dir;
use crate::queue::{binary_with_queue, start};

/// Price of an input token in US dollars.
const INPUT: f64 = 10e-6;
/// Price of an output token in US dollars.
const OUTPUT: f64 = 40e-6;

const PRICES: &str =
    "{date: 2026-11-01, source: s, prices: [{models: ['openai/*'], input: 10, output: 40}]}";

/// Requests that the server received, and the amount in US dollars that it billed.
#[derive(Default)]
struct Bill {
    billed: f64,
    requests: usize,
    /// Total amount by which the costs of responses exceed the harness's estimates.
    above: f64,
    /// Input tokens of the longest prompt.
    input: u64,
}

/// Random settings of a run, and when it is interrupted.
#[derive(Debug)]
struct Design {
    seed: u64,
    concurrency: u32,
    /// Value of `--max-output-tokens`.
    most_output: Option<u64>,
    /// Number of characters that the server counts as 100 tokens.
    characters_per_100: u64,
    delegates: bool,
    streams: bool,
    /// Share of requests that fail.
    failing: f64,
    /// Number of requests after which the run is interrupted and then resumed.
    interrupted_after: Option<usize>,
    budget: f64,
    /// Number of workers that take the attempts from a queue; 0 for a local run.
    workers: usize,
    /// Number of requests after which the first worker is killed.
    killed_after: Option<usize>,
}

impl Design {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let most_output = random
            .random_bool(0.6)
            .then(|| random.random_range(50..600));
        // The prompts have about 700 characters, or 9,000 for agents with a REPL.
        let delegates = random.random_bool(0.4);
        let per_call = INPUT * if delegates { 2_500.0 } else { 500.0 }
            + OUTPUT * most_output.unwrap_or(1_000) as f64;
        let first = if most_output.is_some() {
            per_call
        } else {
            per_call + OUTPUT * 4_000.0
        };
        Self {
            seed,
            concurrency: random.random_range(1..=64),
            most_output,
            characters_per_100: random.random_range(200..500),
            delegates,
            streams: random.random_bool(0.4),
            failing: if random.random_bool(0.5) { 0.15 } else { 0.0 },
            interrupted_after: random.random_bool(0.25).then(|| random.random_range(1..20)),
            budget: first + per_call * random.random_range(1.0..120.0),
            workers: 0,
            killed_after: None,
        }
    }

    /// Creates the design of a queued run.
    fn in_queue(seed: u64, workers: usize, killed_after: Option<usize>) -> Self {
        let design = Self::new(seed);
        Self {
            interrupted_after: None,
            // Queued runs need an output limit: without one, responses may be longer than
            // estimated, and the records lack the responses of attempts that a worker did not
            // finish.
            most_output: design.most_output.or(Some(400)),
            workers,
            killed_after,
            ..design
        }
    }

    fn server(&self) -> (FaultServer, Arc<Mutex<Bill>>) {
        let bill = Arc::new(Mutex::new(Bill::default()));
        let shared = Arc::clone(&bill);
        let random = Mutex::new(StdRng::seed_from_u64(self.seed ^ 0x5eed));
        let (ratio, most, failing) = (self.characters_per_100, self.most_output, self.failing);
        let delegates = self.delegates;
        let server = FaultServer::start(move |seen| {
            let mut random = random.lock().unwrap();
            let input = (characters(seen) * 100).div_ceil(ratio);
            let output = match most {
                Some(most) => random.random_range(1..=most),
                None => random.random_range(1..2_000),
            };
            let wait = Duration::from_millis(random.random_range(0..15));
            let fate: f64 = random.random();
            let child = random.random_bool(0.7);
            drop(random);
            let cost = input as f64 * INPUT + output as f64 * OUTPUT;
            let is_free = fate < failing / 2.0;
            {
                let mut bill = shared.lock().unwrap();
                bill.requests += 1;
                if !is_free {
                    bill.billed += cost;
                    bill.input = bill.input.max(input);
                }
            }
            std::thread::sleep(wait);
            if is_free {
                return Behavior::Status(503, Vec::new(), "{}".to_owned());
            }
            let text = if delegates && child && !seen.text.contains("part of it") {
                "```js\nconst parts = await Promise.all([1, 2, 3].map(n => llm('part of it ' + n)));\nreturn(parts.join())\n```"
            } else if delegates {
                "```js\nreturn(1)\n```"
            } else {
                "1"
            };
            let finish = if fate < failing { "error" } else { "stop" };
            respond(seen, text, finish, input, output)
        });
        (server, bill)
    }

    /// Runs until the budget is exhausted or the work is done; returns the server's bill.
    fn run(&self, queue: Option<&NatsServer>) -> Bill {
        let (server, bill) = self.server();
        let url = server.openai();
        let binary = queue.map_or_else(Binary::new, |queue| binary_with_queue(queue.url()));
        let binary = binary.file("prices.yaml", PRICES);
        let texts = [
            self.concurrency.to_string(),
            self.budget.to_string(),
            self.most_output
                .map_or(String::new(), |most| most.to_string()),
        ];
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend(["--samples-per-length", "150", "--model", "openai/m"]);
        args.extend([
            "--base-url",
            &url,
            "--prices",
            "prices.yaml",
            "--max-retries",
            "3",
        ]);
        args.extend(["--concurrency", &texts[0], "--max-cost", &texts[1]]);
        args.extend(["--isolation", "thread"]);
        args.extend(["--protocol", if self.delegates { "rlm" } else { "direct" }]);
        if self.most_output.is_some() {
            args.extend(["--max-output-tokens", &texts[2]]);
        }
        if self.streams {
            args.push("--stream");
        }
        if let Some(after) = self.interrupted_after {
            let quiet = [Stdio::null(), Stdio::null(), Stdio::null()];
            let [stdin, stdout, stderr] = quiet;
            let mut command = binary.command(&args);
            let mut child = command
                .stdin(stdin)
                .stdout(stdout)
                .stderr(stderr)
                .spawn()
                .unwrap();
            while child.try_wait().unwrap().is_none() && bill.lock().unwrap().requests < after {
                std::thread::sleep(Duration::from_millis(2));
            }
            let kill = format!("kill -INT {}", child.id());
            let _ = Command::new("sh")
                .args(["-c", &kill])
                .stderr(Stdio::null())
                .status();
            child.wait().unwrap();
            let dir = run_dir(binary.path());
            args = vec!["run", "--resume"];
            args.push(Box::leak(dir.display().to_string().into_boxed_str()));
            args.extend(["--base-url", &url]);
        }
        let code = match queue {
            Some(queue) => self.run_in_queue(&binary, &args, &url, queue, &bill),
            None => binary.run(&args, "").code,
        };
        assert!(matches!(code, Some(0 | 106 | 1)), "{self:?}: {code:?}");
        let done = code != Some(106);
        drop(server);
        let mut bill = std::mem::take(&mut *bill.lock().unwrap());
        bill.above = above_estimates(&run_dir(binary.path()));
        // Interrupted calls are charged at their estimates, independently of the server's bill.
        let estimate =
            bill.input as f64 * INPUT + self.most_output.unwrap_or(2_000) as f64 * OUTPUT;
        let is_whole = self.interrupted_after.is_none() && self.killed_after.is_none();
        if !done && is_whole && estimate < self.budget / 100.0 {
            assert!(bill.billed > 0.9 * self.budget, "{self:?}: {}", bill.billed);
        }
        bill
    }

    /// Runs with workers; returns the submitter's exit code.
    fn run_in_queue(
        &self,
        binary: &Binary,
        args: &[&str],
        url: &str,
        queue: &NatsServer,
        bill: &Mutex<Bill>,
    ) -> Option<i32> {
        // Only a killed worker may lose its lease: on a busy machine, a short one would also expire
        // while its worker continues to spend.
        let lease = self.killed_after.map_or("30", |_| "1");
        let more = ["--queue", queue.url(), "--queue-lease", lease];
        let mut submitter = start(binary, "submitter.log", &[args, &more].concat());
        let mut workers = work(binary, url, queue, self.workers, self.concurrency);
        if let Some(after) = self.killed_after {
            while !submitter.has_ended() && bill.lock().unwrap().requests < after {
                std::thread::sleep(Duration::from_millis(2));
            }
            workers[0].kill();
        }
        submitter.code()
    }
}

/// Starts `number` workers that share `concurrency` equally.
fn work(
    binary: &Binary,
    url: &str,
    queue: &NatsServer,
    number: usize,
    concurrency: u32,
) -> Vec<Running> {
    let each = concurrency.div_ceil(u32::try_from(number).unwrap());
    let each = each.to_string();
    let worker = |number| {
        let name = format!("worker-{number}");
        let args = ["worker", queue.url(), "--name", &name];
        let more = ["--concurrency", &each, "--base-url", url];
        start(binary, &format!("{name}.log"), &[args, more].concat())
    };
    (0..number).map(worker).collect()
}

/// Returns the amount by which the costs of responses in a run's trajectories exceed their
/// estimates.
fn above_estimates(run: &Path) -> f64 {
    let mut above = 0.0;
    for file in std::fs::read_dir(run.join("trajectories")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let mut estimates = BTreeMap::new();
        for line in text.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let (agent, kind) = (event["invocation"].to_string(), &event["kind"]);
            let cost = kind["cost_usd"].as_f64();
            match kind["type"].as_str() {
                // The event has no estimate if an earlier start received the response.
                Some("llm_request") => {
                    estimates.insert(agent, kind["estimate"]["cost_usd"].as_f64());
                }
                Some("llm_response" | "llm_billed") => {
                    if let (Some(cost), Some(estimate)) = (cost, estimates[&agent]) {
                        above += (cost - estimate).max(0.0);
                    }
                }
                _ => {}
            }
        }
    }
    above
}

/// Returns the total length of a request's messages in characters.
fn characters(seen: &ReceivedRequest) -> u64 {
    let messages = seen.body["messages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let lengths = messages.iter().map(|message| {
        message["content"]
            .as_str()
            .map_or(0, |text| text.chars().count())
    });
    lengths.sum::<usize>() as u64
}

fn respond(seen: &ReceivedRequest, text: &str, finish: &str, input: u64, output: u64) -> Behavior {
    let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
    reply(seen, text, finish, &usage)
}

fn reply(seen: &ReceivedRequest, text: &str, finish: &str, usage: &Value) -> Behavior {
    let body = |choice: Value, usage: &Value| json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage});
    if seen.body["stream"] != json!(true) {
        let message = json!({"role": "assistant", "content": text});
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        return Behavior::Status(200, Vec::new(), body(choice, usage).to_string());
    }
    let delta =
        json!({"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": null});
    let end = json!({"index": 0, "delta": {}, "finish_reason": finish});
    let events = [body(delta, &Value::Null), body(end, usage)];
    let events = events.map(|event| format!("data: {event}\n\n")).concat() + "data: [DONE]\n\n";
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    Behavior::Status(200, headers, events)
}

/// Seeds of the quick suite. With two of them, the interrupted agents have children.
const SOME: [u64; 8] = [0, 1, 2, 3, 4, 7, 80, 108];

#[test]
fn billed_costs_stay_within_budget() {
    let seeds: Vec<u64> = if is_full() {
        (0..200).collect()
    } else {
        SOME.to_vec()
    };
    check(seeds.into_iter().map(Design::new), None);
}

/// Queued runs of the quick suite: seed, number of workers, and number of requests after which the
/// first worker is killed.
const QUEUED: [(u64, usize, Option<usize>); 5] = [
    (0, 2, None),
    (4, 3, None),
    (7, 4, Some(10)),
    (50, 4, None),
    (80, 2, None),
];

#[test]
fn billed_costs_of_workers_stay_within_budget() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let rows = if is_full() {
        let row = |seed: usize| {
            (
                seed as u64,
                2 + seed % 3,
                seed.is_multiple_of(4).then_some(1 + seed),
            )
        };
        (0..60).map(row).collect()
    } else {
        QUEUED.to_vec()
    };
    let designs = rows.into_iter();
    let designs = designs.map(|(seed, workers, killed)| Design::in_queue(seed, workers, killed));
    check(designs, Some(&server));
}

/// Checks that no run is billed more than its budget allows.
#[expect(clippy::print_stdout, reason = "a failed check shows all runs")]
fn check(designs: impl ExactSizeIterator<Item = Design>, queue: Option<&NatsServer>) {
    let number = designs.len();
    let mut over = Vec::new();
    let mut used = Vec::new();
    for design in designs {
        let bill = design.run(queue);
        println!(
            "{design:?}: {} of {}, {} requests",
            bill.billed, design.budget, bill.requests
        );
        let most = match (design.most_output, design.interrupted_after) {
            (Some(_), _) => design.budget,
            // A response may be longer than all earlier responses.
            (None, None) => design.budget + bill.above,
            // Records do not contain the length of interrupted responses.
            (None, Some(_)) => continue,
        };
        used.push(bill.billed / design.budget);
        // Each worker learns from its own responses how many tokens the server counts, so it may
        // underestimate its first prompts of another kind.
        let tolerance = if design.workers > 1 { 0.002 } else { 1e-9 };
        if bill.billed > most * (1.0 + tolerance) {
            over.push(format!("{design:?}: {} of {most}", bill.billed));
        }
    }
    println!(
        "{number} runs; billed at most {:.3} of the budget",
        used.iter().copied().fold(0.0, f64::max)
    );
    assert!(over.is_empty(), "{}", over.join("\n"));
}

/// A limit on calls to a model without a price.
struct Unpriced {
    model: &'static str,
    limit: [&'static str; 2],
    /// Cost that the server reports for each call.
    cost: Option<f64>,
    /// Amount of the limit that one call uses.
    each: f64,
    /// Maximum number of calls beyond the limit, which were in flight when it was reached.
    above: u32,
}

/// Number of concurrent calls, in a local run or over two workers together.
const CALLS: u32 = 6;

/// Rows of [`unpriced_calls_count_toward_limits`].
const UNPRICED: [Unpriced; 3] = [
    // The cost is known only once a call has ended.
    Unpriced {
        model: "openrouter/vendor/unpriced",
        limit: ["--max-cost", "0.3"],
        cost: Some(0.01),
        each: 0.01,
        above: CALLS - 1,
    },
    Unpriced {
        model: "openai/unpriced",
        limit: ["--max-tokens", "60000"],
        cost: None,
        each: 1_000.0,
        above: 0,
    },
    Unpriced {
        model: "openai/unpriced",
        limit: ["--max-llm-calls", "25"],
        cost: None,
        each: 1.0,
        above: 0,
    },
];

#[test]
fn unpriced_calls_count_toward_limits() {
    let Some(queue) = NatsServer::start() else {
        return;
    };
    let both = [None, Some(&queue)];
    let rows = UNPRICED.iter();
    for (row, queue) in rows.flat_map(|row| both.map(|queue| (row, queue))) {
        let cost = row.cost;
        let server = FaultServer::start(move |seen| {
            let mut usage =
                json!({"prompt_tokens": 950, "completion_tokens": 50, "total_tokens": 1_000});
            if let Some(cost) = cost {
                usage["cost"] = json!(cost);
            }
            reply(seen, "1", "stop", &usage)
        });
        let url = server.openai();
        let binary = queue.map_or_else(Binary::new, |queue| binary_with_queue(queue.url()));
        let binary = binary.variable("OPENROUTER_API_KEY", "k");
        let concurrency = CALLS.to_string();
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend(["--samples-per-length", "90", "--model", row.model]);
        args.extend(["--base-url", &url, "--protocol", "direct"]);
        args.extend(["--max-output-tokens", "50", "--concurrency", &concurrency]);
        args.extend(row.limit);
        let code = match queue {
            Some(queue) => {
                args.extend(["--queue", queue.url()]);
                let mut submitter = start(&binary, "submitter.log", &args);
                let _workers = work(&binary, &url, queue, 2, CALLS);
                submitter.code()
            }
            None => binary.run(&args, "").code,
        };
        let what = format!("{} in a queue: {}", row.limit.join(" "), queue.is_some());
        assert_eq!(code, Some(106), "{what}");
        let limit: f64 = row.limit[1].parse().unwrap();
        let amount = server.seen().len() as f64 * row.each;
        let most = limit + f64::from(row.above) * row.each;
        println!("{what}: {amount}");
        assert!(amount > 0.9 * limit, "{what}: {amount}");
        assert!(amount <= most + 1e-9, "{what}: {amount}");
    }
}
