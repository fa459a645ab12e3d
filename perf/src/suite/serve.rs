//! Measures how many requests per second `eval serve` answers to concurrent clients, compared with
//! the model server alone. Each client sends a request, reads the response, and sends the next one
//! over the same connection; all begin at the same moment. The agent makes one call to a model that
//! takes a second.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use crate::bench::{Bench, SuiteError, log_progress};
use crate::cost;
use crate::plan::Plan;
use crate::report::Figure;

/// Latency of the model.
const LATENCY: Duration = Duration::from_secs(1);

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    cost::raise_fd_limit();
    let clients = bench.size(500, 20);
    let time = bench.size(Duration::from_secs(60), Duration::from_secs(2));
    let most = clients.to_string();
    let mut serve = bench.eval(&[
        "serve",
        "--model",
        "openai/eval",
        "--protocol",
        "direct",
        "--port",
        "0",
        "--max-concurrency",
        &most,
    ]);
    let (served, url) = ServeProcess::start(serve.stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let load = |url: &str, model: &str| -> Result<f64, SuiteError> {
        let host = url.trim_start_matches("http://").trim_end_matches("/v1");
        let answers = runtime.block_on(answers(host, model, clients, time))?;
        Ok(answers as f64 / time.as_secs_f64())
    };
    let (mut alone, mut through, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut cpu = Vec::new();
    for _ in 0..bench.size(bench.runs().min(2), 1) {
        let of_model = load(&bench.server.url(), "eval")?;
        let before = served.cpu();
        let of_agent = load(&url, "direct/openai/eval")?;
        let took = served.cpu().saturating_sub(before);
        cpu.push(took.as_secs_f64() * 1000.0 / (of_agent * time.as_secs_f64()));
        log_progress(&format!(
            "{of_model:.0} and {of_agent:.0} answers per second"
        ));
        alone.push(of_model);
        through.push(of_agent);
        ratios.push(of_agent / of_model);
    }
    drop(served);
    bench.put_results_aside();
    let figure = |name: &str, unit, values| {
        let name = format!("{name}, {clients} clients, a model of 1 s");
        Figure::new("serve", name, unit, values)
    };
    Ok(vec![
        figure("the model alone", "answers/s", alone),
        figure("`eval serve`", "answers/s", through),
        figure("an answer of `eval serve`", "ms CPU, eval only", cpu),
        figure("`eval serve` / the model alone", "times", ratios).at_least(0.8),
    ])
}

/// Returns the number of answers that `clients` clients receive within `time`.
///
/// # Errors
/// Returns an error if a connection fails or a response's status is not 200.
async fn answers(
    host: &str,
    model: &str,
    clients: usize,
    time: Duration,
) -> Result<usize, SuiteError> {
    let plan = Plan::Delay {
        milliseconds: u64::try_from(LATENCY.as_millis()).unwrap_or(u64::MAX),
    };
    let body = json!({
        "model": model,
        "messages": [{"role": "user", "content": format!("{} What is it?", plan.text())}],
    });
    let body = body.to_string();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connections = Vec::new();
    for _ in 0..clients {
        connections.push(TcpStream::connect(host).await?);
    }
    let end = Instant::now() + time;
    let mut working = tokio::task::JoinSet::new();
    for connection in connections {
        let request = request.clone();
        working.spawn(async move { client(connection, &request, end).await });
    }
    let mut sum = 0;
    while let Some(ended) = working.join_next().await {
        sum += ended??;
    }
    Ok(sum)
}

/// Sends the request repeatedly until `end`, and returns the number of answers.
async fn client(
    mut connection: TcpStream,
    request: &str,
    end: Instant,
) -> Result<usize, std::io::Error> {
    let mut answers = 0;
    loop {
        match timeout_at(end, exchange(&mut connection, request)).await {
            Ok(answered) => answered?,
            Err(_) => return Ok(answers),
        }
        answers += 1;
    }
}

/// Sends a request and reads its response.
async fn exchange(connection: &mut TcpStream, request: &str) -> Result<(), std::io::Error> {
    connection.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    loop {
        if connection.read_buf(&mut response).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let text = String::from_utf8_lossy(&response);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        if !head.starts_with("HTTP/1.1 200") {
            return Err(std::io::Error::other(text.into_owned()));
        }
        let head = head.to_ascii_lowercase();
        let length = head.split_once("content-length: ").map(|(_, rest)| rest);
        let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        let length: usize = length.ok_or_else(|| std::io::Error::other("no content-length"))?;
        if body.len() >= length {
            return Ok(());
        }
    }
}

/// Process of `eval serve`, which is killed when dropped.
struct ServeProcess(Child);

impl ServeProcess {
    /// Starts the program and returns it with the base URL that it prints.
    fn start(command: &mut std::process::Command) -> Result<(Self, String), SuiteError> {
        let mut served = Self(command.spawn()?);
        let stdout = served.0.stdout.take().ok_or("no stdout")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        let url = url.trim().to_owned();
        if url.is_empty() {
            return Err("`eval serve` did not start".into());
        }
        Ok((served, url))
    }

    /// Returns the CPU time of the process so far.
    fn cpu(&self) -> Duration {
        cost::own_cpu(self.0.id())
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
