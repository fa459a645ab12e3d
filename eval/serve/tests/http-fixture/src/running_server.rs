//! A server that runs in this process.

use std::ops::Deref;
use std::pin::Pin;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::HUNG;
use crate::http_client::HttpClient;

/// Completes when a server must stop.
pub type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A server that runs until dropped. `E` is the type of its errors.
pub struct RunningServer<E> {
    http: HttpClient,
    stop: Option<oneshot::Sender<()>>,
    stop_now: Option<oneshot::Sender<()>>,
    ended: Option<JoinHandle<Result<(), E>>>,
    runtime: Option<Runtime>,
}

fn signal() -> (oneshot::Sender<()>, Signal) {
    let (sender, received) = oneshot::channel();
    (sender, Box::pin(async { drop(received.await) }))
}

impl<E: Send + 'static> RunningServer<E> {
    /// Runs a server that is bound to this URL. All requests will have these header lines. `serve`
    /// receives the signals to stop and to end the shutdown timeout.
    pub fn run<F>(
        runtime: Runtime,
        url: &str,
        headers: &'static [&'static str],
        serve: impl FnOnce(Signal, Signal) -> F,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
    {
        let (stop, stopped) = signal();
        let (stop_now, stopped_now) = signal();
        let ended = runtime.spawn(serve(stopped, stopped_now));
        Self {
            http: HttpClient::of(url, headers),
            stop: Some(stop),
            stop_now: Some(stop_now),
            ended: Some(ended),
            runtime: Some(runtime),
        }
    }

    /// Lets the server stop.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Ends the shutdown timeout.
    pub fn stop_now(&mut self) {
        drop(self.stop_now.take());
    }

    /// Waits until the server has ended, and returns its result.
    ///
    /// # Errors
    /// Returns the server's error.
    pub fn end(&mut self) -> Result<(), E> {
        let ended = self.ended.take().unwrap();
        let runtime = self.runtime.as_ref().unwrap();
        let ended = runtime.block_on(async { timeout(HUNG, ended).await });
        ended.expect("the server ends").unwrap()
    }
}

impl<E> Deref for RunningServer<E> {
    type Target = HttpClient;

    fn deref(&self) -> &HttpClient {
        &self.http
    }
}

impl<E> Drop for RunningServer<E> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
