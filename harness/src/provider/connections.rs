//! Limits concurrent requests. The limit falls when a server is out of capacity, and grows with
//! later successes.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The limit of concurrent requests to one endpoint.
///
/// The limit follows additive increase, multiplicative decrease, as in TCP (D.-M. Chiu and R. Jain,
/// "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance", Computer Networks
/// 17, 1989): a rejection lowers the limit to the number of requests under way and halves it, and
/// each success adds 1 / limit, up to the maximum.
#[derive(Debug)]
pub(super) struct Connections {
    adaptive: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Maximum value of the limit.
    most: f64,
    /// Current limit; its integer part applies.
    limit: f64,
    under_way: u32,
    /// Number of times that the limit has fallen.
    episode: u64,
    queue: VecDeque<oneshot::Sender<Connection>>,
}

/// Permit to send one request, released on drop.
#[derive(Debug)]
pub(super) struct Connection {
    connections: Arc<Connections>,
    /// Value of [`State::episode`] when the permit was issued.
    episode: u64,
}

impl Connections {
    pub fn new(most: u32, adaptive: bool) -> Arc<Self> {
        let most = f64::from(most);
        Arc::new(Self {
            adaptive,
            state: Mutex::new(State {
                most,
                limit: most,
                under_way: 0,
                episode: 0,
                queue: VecDeque::new(),
            }),
        })
    }

    /// Changes the maximum, for example when the number of processes that share it changes.
    pub fn set_maximum(self: &Arc<Self>, most: u32) {
        let most = f64::from(most.max(1));
        let mut state = self.state.lock();
        if state.most.total_cmp(&most).is_eq() {
            return;
        }
        let was_full = state.limit >= state.most;
        state.most = most;
        state.limit = if was_full {
            most
        } else {
            state.limit.min(most)
        };
        drop(state);
        self.issue_permits();
    }

    /// Returns a permit, or the receiver for one. Waiting requests are served in order.
    pub fn take(self: &Arc<Self>) -> Result<Connection, oneshot::Receiver<Connection>> {
        let mut state = self.state.lock();
        if state.queue.is_empty() && state.has_room() {
            state.under_way += 1;
            return Ok(Connection {
                connections: Arc::clone(self),
                episode: state.episode,
            });
        }
        let (sender, place) = oneshot::channel();
        state.queue.push_back(sender);
        Err(place)
    }

    /// Issues free permits to waiting requests.
    fn issue_permits(self: &Arc<Self>) {
        loop {
            let (next, episode) = {
                let mut state = self.state.lock();
                if !state.has_room() {
                    return;
                }
                let Some(next) = state.queue.pop_front() else {
                    return;
                };
                if next.is_closed() {
                    continue;
                }
                state.under_way += 1;
                (next, state.episode)
            };
            // If the request no longer waits, the permit is dropped and thereby released.
            let _ = next.send(Connection {
                connections: Arc::clone(self),
                episode,
            });
        }
    }
}

impl State {
    fn has_room(&self) -> bool {
        f64::from(self.under_way) < self.limit.floor()
    }
}

impl Connection {
    /// Records a success, which raises the limit.
    pub fn succeeded(&self) {
        let connections = &self.connections;
        if connections.adaptive {
            let mut state = connections.state.lock();
            state.limit = (state.limit + 1.0 / state.limit).min(state.most);
        }
    }

    /// Records that the server is out of capacity, which lowers the limit. Requests sent before the
    /// limit last fell do not lower it again, because their rejections belong to the same episode.
    pub fn refused(&self) {
        let connections = &self.connections;
        if !connections.adaptive {
            return;
        }
        let mut state = connections.state.lock();
        if self.episode == state.episode {
            state.episode += 1;
            state.limit = (state.limit.min(f64::from(state.under_way)) / 2.0).max(1.0);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.state.lock().under_way -= 1;
        self.connections.issue_permits();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Connection, Connections};

    /// Returns the number of further requests that may be sent now.
    fn room(connections: &Arc<Connections>) -> usize {
        let taken: Vec<_> = std::iter::from_fn(|| connections.take().ok()).collect();
        taken.len()
    }

    fn take(connections: &Arc<Connections>, count: usize) -> Vec<Connection> {
        (0..count).map(|_| connections.take().unwrap()).collect()
    }

    #[test]
    fn halves_limit_once_per_episode() {
        let connections = Connections::new(8, true);
        let wave = take(&connections, 8);
        wave.iter().for_each(Connection::refused);
        drop(wave);
        assert_eq!(room(&connections), 4);
        let wave = take(&connections, 4);
        wave[0].refused();
        wave[1].refused();
        drop(wave);
        assert_eq!(room(&connections), 2);
        for wanted in [2, 2, 3, 3, 3, 4] {
            take(&connections, 1)[0].succeeded();
            assert_eq!(room(&connections), wanted);
        }
        for _ in 0..100 {
            take(&connections, 1)[0].succeeded();
        }
        assert_eq!(room(&connections), 8);
        let fixed = Connections::new(3, false);
        take(&fixed, 3).iter().for_each(Connection::refused);
        assert_eq!(room(&fixed), 3);
    }

    #[tokio::test]
    async fn serves_waiting_requests_in_order() {
        let connections = Connections::new(1, true);
        let first = connections.take().unwrap();
        let second = connections.take().unwrap_err();
        let gone = connections.take().unwrap_err();
        let mut third = connections.take().unwrap_err();
        drop(gone);
        drop(first);
        let second = second.await.unwrap();
        assert!(third.try_recv().is_err());
        drop(second);
        drop(third.await.unwrap());
        assert_eq!(room(&connections), 1);
    }
}
