//! Implements [`Broker`] on NATS JetStream with the official client.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{Context, PublishErrorKind};
use async_nats::jetstream::message::{AckKind, PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{
    Config, DirectGetErrorKind, DiscardPolicy, RetentionPolicy, StorageType,
};
use async_nats::jetstream::{self, Message};
use async_nats::{Client, ConnectOptions};
use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt as _;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::name::{RUNS, RunKey, StreamKind, SubjectAddress, stream};
use crate::{Access, Broker, Counts, Delivery, Expect, Follow, Limits, QueueError, Stored};

/// Name of the JetStream consumer from which all workers take a run's attempts.
const WORKERS: &str = "workers";

/// Timeout for connecting and for each response of the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// Number of messages to prefetch when following a stream.
const PREFETCHED_MESSAGES: usize = 256;

/// Connects to a server. `name` identifies this client in the server's list of connections. If the
/// connection is lost, the client reconnects, however long that takes.
///
/// # Errors
/// Returns [`QueueError`] if the address or a file is invalid, or if no server responds.
pub async fn connect(access: &Access, name: &str) -> Result<Arc<dyn Broker>, QueueError> {
    let urls: Vec<&str> = access.url.split(',').map(str::trim).collect();
    for url in &urls {
        check_address(url)?;
    }
    let mut options = ConnectOptions::new()
        .name(name)
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
        .custom_inbox_prefix("_INBOX");
    if let Some(path) = &access.creds {
        let creds = read("credentials file", path)?;
        options = options
            .credentials(&creds)
            .map_err(|error| file("credentials file", path, &error))?;
    }
    if let Some(path) = &access.nkey {
        let seed = read("NKey seed", path)?;
        options = options.nkey(seed.trim().to_owned());
    }
    if let Some(path) = &access.ca {
        read("certificates", path)?;
        options = options.add_root_certificates(path.clone());
    }
    if let Some((cert, key)) = &access.cert {
        read("client certificate", cert)?;
        read("client key", key)?;
        options = options.add_client_certificate(cert.clone(), key.clone());
    }
    let client = options
        .connect(urls)
        .await
        .map_err(|error| QueueError::Connect {
            url: access.url.clone(),
            reason: chain(&error),
        })?;
    let mut context = jetstream::new(client.clone());
    context.set_timeout(PATIENCE);
    Ok(Arc::new(Nats {
        client,
        context,
        workers: Mutex::default(),
    }))
}

/// Checks that an address has a known scheme and contains no secrets.
fn check_address(url: &str) -> Result<(), QueueError> {
    let wrong = |problem: &str| {
        // The part before `@` may be a password.
        let shown = url.rsplit_once('@').map_or(url, |(_, host)| host);
        Err(QueueError::Address {
            url: shown.to_owned(),
            problem: problem.to_owned(),
        })
    };
    let Some((scheme, rest)) = url.split_once("://") else {
        return wrong("the scheme is missing");
    };
    if !["nats", "tls"].contains(&scheme) {
        return wrong("the scheme must be nats or tls");
    }
    if rest.contains('@') {
        return wrong("it must not contain a user or password, because the run's folder stores it");
    }
    if rest.is_empty() || url.parse::<async_nats::ServerAddr>().is_err() {
        return wrong("the host is missing");
    }
    Ok(())
}

fn read(what: &'static str, path: &Path) -> Result<String, QueueError> {
    std::fs::read_to_string(path).map_err(|error| file(what, path, &error))
}

fn file(what: &'static str, path: &Path, error: &std::io::Error) -> QueueError {
    QueueError::File {
        what,
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// Formats an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

fn unavailable(what: &'static str, error: &dyn std::error::Error) -> QueueError {
    QueueError::Unavailable {
        what,
        reason: chain(error),
    }
}

struct Nats {
    client: Client,
    context: Context,
    /// Consumer [`WORKERS`] of each run, cached.
    workers: Mutex<HashMap<RunKey, PullConsumer>>,
}

impl Nats {
    async fn stream(&self, name: &str) -> Result<jetstream::stream::Stream<()>, QueueError> {
        self.context
            .get_stream_no_info(name)
            .await
            .map_err(|error| unavailable("look up a stream", &error))
    }

    async fn ensure(&self, config: Config) -> Result<(), QueueError> {
        match self.context.create_stream(config.clone()).await {
            Ok(_) => Ok(()),
            // If the stream already exists with other settings, for example from an earlier start,
            // keep those settings.
            Err(error) => match self.context.get_stream(&config.name).await {
                Ok(_) => Ok(()),
                Err(_) => Err(unavailable("create a stream", &error)),
            },
        }
    }

    async fn consumer(&self, run: &RunKey) -> Result<PullConsumer, QueueError> {
        if let Some(consumer) = self.workers.lock().get(run) {
            return Ok(consumer.clone());
        }
        let consumer: PullConsumer = self
            .context
            .get_consumer_from_stream(WORKERS, stream(run, StreamKind::Work))
            .await
            .map_err(|error| unavailable("find the run's attempts", &error))?;
        self.workers.lock().insert(run.clone(), consumer.clone());
        Ok(consumer)
    }

    async fn get(
        &self,
        place: &SubjectAddress,
        from: Option<u64>,
    ) -> Result<Option<Stored>, QueueError> {
        let stream = self.stream(&place.stream).await?;
        let got = match from {
            None => stream.direct_get_last_for_subject(&place.subject).await,
            Some(from) => {
                stream
                    .direct_get_next_for_subject(&place.subject, Some(from.max(1)))
                    .await
            }
        };
        match got {
            Ok(message) => Ok(Some(stored(message))),
            Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
            Err(error) => Err(unavailable("return a message", &error)),
        }
    }
}

fn stored(message: StreamMessage) -> Stored {
    Stored {
        subject: message.subject.to_string(),
        sequence: message.sequence,
        at_ms: ms(message.time.unix_timestamp_nanos()),
        bytes: message.payload.into(),
    }
}

fn ms(nanos: i128) -> u64 {
    u64::try_from(nanos / 1_000_000).unwrap_or(0)
}

#[async_trait]
impl Broker for Nats {
    async fn create(&self, run: &RunKey, limits: Limits) -> Result<(), QueueError> {
        let kept = |part, of_each: i64| Config {
            name: stream(run, part),
            subjects: vec![SubjectAddress::of(run, part, ">").subject],
            storage: StorageType::File,
            num_replicas: limits.replicas,
            max_messages_per_subject: of_each,
            discard: DiscardPolicy::New,
            allow_direct: true,
            ..Config::default()
        };
        self.ensure(Config {
            subjects: vec![SubjectAddress::manifest(None).subject],
            name: RUNS.to_owned(),
            discard: DiscardPolicy::Old,
            // The stream of all runs has the settings of a run's states, under another name.
            ..kept(StreamKind::State, 1)
        })
        .await?;
        self.ensure(Config {
            retention: RetentionPolicy::WorkQueue,
            ..kept(StreamKind::Work, -1)
        })
        .await?;
        self.ensure(Config {
            max_bytes: limits
                .max_bytes
                .map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX)),
            ..kept(StreamKind::Data, -1)
        })
        .await?;
        self.ensure(Config {
            discard: DiscardPolicy::Old,
            ..kept(StreamKind::State, 1)
        })
        .await?;
        let consumer = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: limits.lease,
            // No limit, because the worker that receives one delivery too many ends the attempt
            // with an error.
            max_deliver: -1,
            max_ack_pending: -1,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        let made = self
            .context
            .create_consumer_on_stream(consumer, stream(run, StreamKind::Work))
            .await;
        match made {
            Ok(_) => Ok(()),
            Err(error) => match self.consumer(run).await {
                Ok(_) => Ok(()),
                Err(_) => Err(unavailable("create the run's queue", &error)),
            },
        }
    }

    async fn remove(&self, run: &RunKey) -> Result<(), QueueError> {
        self.workers.lock().remove(run);
        for part in [StreamKind::Work, StreamKind::Data, StreamKind::State] {
            let removed = self.context.delete_stream(stream(run, part)).await;
            if let Err(error) = removed
                && self.context.get_stream(stream(run, part)).await.is_ok()
            {
                return Err(unavailable("delete a stream", &error));
            }
        }
        self.purge(&SubjectAddress::manifest(Some(run))).await?;
        Ok(())
    }

    async fn put(
        &self,
        place: &SubjectAddress,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Result<u64, QueueError> {
        let mut message = PublishMessage::build().payload(Bytes::from(bytes));
        message = match expect {
            Expect::Anything => message,
            Expect::Nothing => message.expected_last_subject_sequence(0),
            Expect::Last(sequence) => message.expected_last_subject_sequence(sequence),
        };
        let sent = self
            .context
            .send_publish(place.subject.clone(), message)
            .await;
        let acknowledged = match sent {
            Ok(acknowledged) => acknowledged.await,
            Err(error) => Err(error),
        };
        acknowledged
            .map(|acknowledged| acknowledged.sequence)
            .map_err(|error| {
                if error.kind() == PublishErrorKind::WrongLastSequence {
                    return QueueError::Conflict;
                }
                let reason = chain(&error);
                let of_room = [
                    "maximum bytes exceeded",
                    "insufficient",
                    "resource limits exceeded",
                ];
                if of_room.iter().any(|words| reason.contains(words)) {
                    return QueueError::Full(reason);
                }
                QueueError::Unavailable {
                    what: "store a message",
                    reason,
                }
            })
    }

    async fn last(&self, place: &SubjectAddress) -> Result<Option<Stored>, QueueError> {
        self.get(place, None).await
    }

    async fn next(&self, place: &SubjectAddress, from: u64) -> Result<Option<Stored>, QueueError> {
        self.get(place, Some(from)).await
    }

    async fn purge(&self, place: &SubjectAddress) -> Result<u64, QueueError> {
        let stream = self.stream(&place.stream).await?;
        let purged = stream.purge().filter(&place.subject).await;
        purged
            .map(|response| response.purged)
            .map_err(|error| unavailable("delete messages", &error))
    }

    async fn follow(
        &self,
        stream: &str,
        subjects: Vec<String>,
        from: Follow,
    ) -> Result<mpsc::Receiver<Stored>, QueueError> {
        // Report a missing stream now, because the task below retries after all errors.
        self.context
            .get_stream(stream)
            .await
            .map_err(|error| unavailable("find a stream", &error))?;
        let stream = self.stream(stream).await?;
        let (sender, receiver) = mpsc::channel(PREFETCHED_MESSAGES);
        tokio::spawn(async move {
            let mut last = None;
            loop {
                let policy = match (last, from) {
                    (Some(last), _) => DeliverPolicy::ByStartSequence {
                        start_sequence: last + 1,
                    },
                    (None, Follow::Start) => DeliverPolicy::All,
                    (None, Follow::LastOfEach) => DeliverPolicy::LastPerSubject,
                };
                let config = pull::OrderedConfig {
                    filter_subjects: subjects.clone(),
                    deliver_policy: policy,
                    ..pull::OrderedConfig::default()
                };
                tokio::select! {
                    () = pass_on(&stream, config, &mut last, &sender) => {}
                    () = sender.closed() => return,
                }
                // Wait for the client to reconnect.
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(500)) => {}
                    () = sender.closed() => return,
                }
            }
        });
        Ok(receiver)
    }

    async fn take(
        &self,
        run: &RunKey,
        wanted: usize,
        wait: Duration,
    ) -> Result<mpsc::Receiver<Box<dyn Delivery>>, QueueError> {
        let consumer = self.consumer(run).await?;
        let batch = consumer
            .batch()
            .max_messages(wanted)
            .expires(wait)
            .messages()
            .await;
        let mut batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                self.workers.lock().remove(run);
                return Err(unavailable("deliver attempts", &error));
            }
        };
        let (sender, receiver) = mpsc::channel::<Box<dyn Delivery>>(wanted.max(1));
        tokio::spawn(async move {
            // Read the whole batch even if the receiver is gone, to return unwanted attempts to the
            // queue immediately.
            while let Some(Ok(message)) = batch.next().await {
                let delivery = Delivered::new(message);
                if let Err(unwanted) = sender.send(Box::new(delivery)).await {
                    // If this fails, the attempt returns when its lease expires.
                    let _ = unwanted.0.give_back(Duration::ZERO).await;
                }
            }
        });
        Ok(receiver)
    }

    async fn counts(&self, run: &RunKey) -> Result<Counts, QueueError> {
        let mut consumer = self.consumer(run).await?;
        let info = consumer
            .info()
            .await
            .map_err(|error| unavailable("count attempts", &error))?;
        let (waiting, under_way) = (info.num_pending, info.num_ack_pending as u64);
        let data = self.context.get_stream(stream(run, StreamKind::Data)).await;
        let data = data.map_err(|error| unavailable("count bytes", &error))?;
        Ok(Counts {
            waiting,
            under_way,
            bytes: data.cached_info().state.bytes,
        })
    }

    fn traffic(&self) -> (u64, u64) {
        let all = self.client.statistics();
        (
            all.in_messages.load(Ordering::Relaxed),
            all.out_messages.load(Ordering::Relaxed),
        )
    }
}

/// Forwards messages until the consumer fails. `last` becomes the sequence number of the last one.
async fn pass_on(
    stream: &jetstream::stream::Stream<()>,
    config: pull::OrderedConfig,
    last: &mut Option<u64>,
    to: &mpsc::Sender<Stored>,
) {
    let Ok(consumer) = stream.create_consumer(config).await else {
        return;
    };
    let Ok(mut messages) = consumer.messages().await else {
        return;
    };
    while let Some(Ok(message)) = messages.next().await {
        let (sequence, at_ms) = match message.info() {
            Ok(info) => (
                info.stream_sequence,
                ms(info.published.unix_timestamp_nanos()),
            ),
            Err(_) => continue,
        };
        *last = Some(sequence);
        let message = Stored {
            subject: message.subject.to_string(),
            sequence,
            at_ms,
            bytes: message.payload.clone().into(),
        };
        if to.send(message).await.is_err() {
            return;
        }
    }
}

/// A delivered message that must be acknowledged.
struct Delivered {
    message: Message,
    number: u64,
    subject: String,
}

impl Delivered {
    fn new(message: Message) -> Self {
        let number = message.info().map_or(1, |info| info.delivered);
        Self {
            number: u64::try_from(number).unwrap_or(1),
            subject: message.subject.to_string(),
            message,
        }
    }

    async fn answer(&self, kind: AckKind) -> Result<(), QueueError> {
        let answered = self.message.ack_with(kind).await;
        answered.map_err(|error| QueueError::Unavailable {
            what: "accept an acknowledgment",
            reason: error.to_string(),
        })
    }
}

#[async_trait]
impl Delivery for Delivered {
    fn bytes(&self) -> &[u8] {
        &self.message.payload
    }

    fn subject(&self) -> &str {
        &self.subject
    }

    fn number(&self) -> u64 {
        self.number
    }

    async fn keep(&self) -> Result<(), QueueError> {
        self.answer(AckKind::Progress).await
    }

    async fn done(&self) -> Result<(), QueueError> {
        self.answer(AckKind::Ack).await
    }

    async fn give_back(&self, after: Duration) -> Result<(), QueueError> {
        let after = (!after.is_zero()).then_some(after);
        self.answer(AckKind::Nak(after)).await
    }
}
