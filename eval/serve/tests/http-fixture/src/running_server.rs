//! A server that runs in this process, and requests to it.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::pin::Pin;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::HUNG;
use crate::response::{PendingResponse, Response};

/// Completes when a server must stop.
pub type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A server that runs until dropped. `E` is the type of its errors.
pub struct RunningServer<E> {
    host: String,
    /// Header lines of all requests.
    headers: &'static [&'static str],
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
        let host = url.strip_prefix("http://").unwrap();
        let host = host.split('/').next().unwrap().to_owned();
        let (stop, stopped) = signal();
        let (stop_now, stopped_now) = signal();
        let ended = runtime.spawn(serve(stopped, stopped_now));
        Self {
            host,
            headers,
            stop: Some(stop),
            stop_now: Some(stop_now),
            ended: Some(ended),
            runtime: Some(runtime),
        }
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        stream
    }

    /// Returns the head of a request, with the correct `Host` unless the header lines have one.
    /// `request` is the method and the target.
    pub fn head(&self, request: &str, headers: &[&str], length: usize) -> String {
        let mut head = format!("{request} HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for header in headers.iter().chain(self.headers) {
            head += &format!("{header}\r\n");
        }
        head + &format!("Connection: close\r\nContent-Length: {length}\r\n\r\n")
    }

    /// Sends a request without reading the response.
    pub fn send(&self, request: &str, headers: &[&str], body: &str) -> PendingResponse {
        let mut stream = self.connect();
        let head = self.head(request, headers, body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // The server may reject the request before it has read all of it.
        let _ = stream.write_all(body.as_bytes());
        stream.into()
    }

    /// Sends a request and returns the response.
    pub fn ask(&self, request: &str, headers: &[&str], body: &str) -> Response {
        self.send(request, headers, body).read()
    }

    /// Lets the server stop.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server accepts no further connections.
    pub fn until_closed(&self) {
        let began = Instant::now();
        loop {
            match TcpStream::connect(&self.host) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return,
                _ => assert!(began.elapsed() < HUNG, "the server accepts connections"),
            }
            std::thread::yield_now();
        }
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

impl<E> Drop for RunningServer<E> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
