//! Work that reports its beginning and whether it was stopped, and can be made to wait.

use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::sync::Semaphore;

use crate::HUNG;

/// Something that happens to work.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<T> {
    /// Work with this description began.
    Began(T),
    /// Work was stopped before it ended.
    Stopped,
}

/// Reports the events of work, and holds back work that waits.
pub struct Gate<T> {
    events: Sender<Event<T>>,
    /// Permits for waiting work to continue.
    permits: Semaphore,
}

/// Receives the events of a gate's work.
pub struct Events<T>(Receiver<Event<T>>);

/// Work in progress. It counts as stopped if it is dropped before its end.
pub struct Work<'a, T> {
    gate: &'a Gate<T>,
    has_ended: bool,
}

impl<T> Gate<T> {
    /// Creates a gate and the receiver of its events.
    #[must_use]
    pub fn new() -> (Self, Events<T>) {
        let (events, received) = channel();
        let permits = Semaphore::new(0);
        (Self { events, permits }, Events(received))
    }

    /// Reports the beginning of work.
    pub fn begin(&self, description: T) -> Work<'_, T> {
        let _ = self.events.send(Event::Began(description));
        Work {
            gate: self,
            has_ended: false,
        }
    }

    /// Lets one piece of waiting work continue.
    pub fn release(&self) {
        self.permits.add_permits(1);
    }
}

impl<T> Work<'_, T> {
    /// Waits until this work is released.
    pub async fn wait(&self) {
        self.gate.permits.acquire().await.unwrap().forget();
    }

    /// Ends the work.
    pub fn end(mut self) {
        self.has_ended = true;
    }
}

impl<T> Drop for Work<'_, T> {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = self.gate.events.send(Event::Stopped);
        }
    }
}

impl<T> Events<T> {
    /// Returns the next event.
    pub fn next(&self) -> Event<T> {
        self.0.recv_timeout(HUNG).expect("an event")
    }

    /// Returns the description of the work that begins next.
    pub fn begun(&self) -> T {
        match self.next() {
            Event::Began(description) => description,
            Event::Stopped => panic!("work was stopped"),
        }
    }

    /// Returns the events that have not been returned yet.
    pub fn rest(&self) -> Vec<Event<T>> {
        self.0.try_iter().collect()
    }
}
