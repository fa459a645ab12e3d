//! `rlm-eval data`: fetches benchmark data and shows samples.

mod settings;

use benchmarks::OutsideScorer;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::runtime::{StopSignal, runtime};
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::fetch::{self, FetchEvent, Fetched};
use crate::process::terminal::{self, counted, plain_text};
use crate::settings::{Display, benchmark};
use settings::{Data, FetchArgs, ShowArgs};

pub(crate) use settings::DataArgs;
pub(super) use settings::data_is_here;

/// Fetches data or shows samples.
///
/// # Errors
/// [`Error`] for invalid settings, data that cannot be fetched, or a benchmark that cannot be
/// opened.
pub(super) fn execute(args: &DataArgs) -> Result<Outcome, Error> {
    match &args.what {
        Data::Fetch(args) => fetch_all(args),
        Data::Show(args) => show(args),
    }
}

fn fetch_all(args: &FetchArgs) -> Result<Outcome, Error> {
    let root = args.root()?;
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let fetching = async {
        for name in &args.names {
            let bar = bar(name);
            let mut report = |event: FetchEvent| show_event(&bar, name, &event);
            let fetched = fetch::fetch(name, &root, args.mirror.as_deref(), &mut report).await;
            bar.finish_and_clear();
            match fetched? {
                Fetched::New { folder, files } => {
                    let files = counted(files as u64, "file");
                    terminal::note(&format!("{name}: {files} in {}", folder.display()));
                }
                Fetched::Here { folder } => {
                    terminal::note(&format!("{name} was already fetched: {}", folder.display()));
                }
            }
        }
        Ok(Outcome::Complete)
    };
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = fetching => outcome,
            () = stop.received() => Ok(Outcome::Interrupted),
        }
    });
    if matches!(outcome, Ok(Outcome::Interrupted)) {
        terminal::note("the downloaded data is kept; run the same command again to continue");
    }
    outcome
}

/// Returns a progress bar, which is shown only on a terminal and not in CI.
fn bar(name: &str) -> ProgressBar {
    let display = Display::detect();
    if !display.is_terminal || display.ci {
        return ProgressBar::hidden();
    }
    let template = "{prefix} {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template);
    ProgressBar::no_length()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix(name.to_owned())
}

fn show_event(bar: &ProgressBar, name: &str, event: &FetchEvent) {
    match event {
        FetchEvent::Planned { files, bytes } => {
            let size = bytes.map(|bytes| format!(", {}", HumanBytes(bytes)));
            if let Some(bytes) = bytes {
                bar.set_length(*bytes);
            }
            let (files, size) = (counted(*files as u64, "file"), size.unwrap_or_default());
            bar.suspend(|| terminal::progress(&format!("{name}: fetching {files}{size}")));
        }
        FetchEvent::Unreadable => bar.suspend(|| {
            terminal::warning(&format!(
                "{name}: this program was built without the feature `parquet`, which is required \
                 to read these Parquet files; build it with `cargo install --path eval --locked \
                 --features full`"
            ));
        }),
        FetchEvent::Bytes(bytes) => bar.inc(*bytes),
        FetchEvent::Again(bytes) => bar.dec(*bytes),
        FetchEvent::Retry { wait, reason } => bar.suspend(|| {
            terminal::progress(&format!("{name}: {reason}; retrying in {wait} s"));
        }),
    }
}

fn show(args: &ShowArgs) -> Result<Outcome, Error> {
    let (benchmark, options) = benchmark::resolve(&args.benchmark, &args.options)?;
    let dataset = benchmarks::open(&benchmark, &options)?;
    for note in dataset.notes() {
        terminal::note(note);
    }
    let count = dataset.ids().len();
    let samples: Vec<_> = (0..count.min(args.limit))
        .map(|index| dataset.sample(index))
        .collect::<Result<_, _>>()
        .map_err(benchmarks::OpenError::from)?;
    if args.json {
        let object = |sample: &benchmarks::Sample| {
            json!({
                "id": sample.id,
                "query": sample.query,
                "follow_ups": sample.follow_ups,
                "context": *sample.context,
                "expected": sample.expected,
                "metadata": sample.metadata,
                "cluster": sample.cluster,
            })
        };
        stdout::write_json(&samples.iter().map(object).collect::<Vec<Value>>())?;
    } else {
        let mut text = String::new();
        for sample in &samples {
            text.push_str(&shown(sample));
        }
        stdout::write(&plain_text(&text))?;
        let given = args.options.scorers().next().map(str::trim);
        let outside = given.and_then(OutsideScorer::parse);
        let outside = outside.or_else(|| dataset.outside_scorer().cloned());
        let scorer = outside.map_or_else(
            || dataset.scorer().name().to_owned(),
            |outside| outside.to_string(),
        );
        terminal::note(&format!(
            "{} of {count} samples; scorer {scorer}",
            samples.len()
        ));
    }
    Ok(match count {
        0 => Outcome::NothingMatched,
        _ => Outcome::Complete,
    })
}

fn shown(sample: &benchmarks::Sample) -> String {
    const CONTEXT: usize = 500;
    let length = sample.context.chars().count();
    let mut context: String = sample.context.chars().take(CONTEXT).collect();
    if length > CONTEXT {
        context.push('…');
    }
    let metadata = json!(sample.metadata);
    let cluster = sample
        .cluster
        .as_ref()
        .map(|name| format!("cluster   {name}\n"));
    let more = sample.follow_ups.iter();
    let more: String = more.map(|more| format!("and then  {more}\n")).collect();
    format!(
        "── {}\nquery     {}\n{more}expected  {}\nmetadata  {metadata}\n{}context   {length} characters\n{context}\n\n",
        sample.id,
        sample.query,
        sample.expected,
        cluster.unwrap_or_default(),
    )
}
