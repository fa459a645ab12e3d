//! The clock that cells read. It starts with the session, and its readings can be recorded and
//! replayed.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::message::{Reading, SessionStart};

/// Resolution of the clock.
const TICKS_PER_MILLISECOND: u64 = 10;

pub(crate) struct Clock {
    /// Start of the session in milliseconds since 1970.
    epoch_ms: u64,
    source: Source,
    /// Latest reading, in tenths of a millisecond since the start of the session. The clock never
    /// goes backward.
    last: u64,
    /// Recorded readings to replay before any new one.
    again: VecDeque<Reading>,
    /// Readings since the last [`Clock::take_readings`]; `None` if they are not recorded.
    taken: Option<Vec<Reading>>,
}

enum Source {
    /// The clock of the machine. At `since`, the session was `then` tenths of a millisecond old.
    Machine { since: Instant, then: u64 },
    /// A clock that only cells advance: each reading by a tenth of a millisecond, and each timer
    /// that fires to its due time.
    Counted,
}

impl Default for Clock {
    /// Creates a clock that starts now and does not record readings.
    fn default() -> Self {
        Self {
            epoch_ms: u64::try_from(now().as_millis()).unwrap_or(u64::MAX),
            source: Source::Machine {
                since: Instant::now(),
                then: 0,
            },
            last: 0,
            again: VecDeque::new(),
            taken: None,
        }
    }
}

impl Clock {
    /// Creates a clock that replays the readings of `beginning` and records later ones.
    pub fn of(beginning: &mut SessionStart) -> Self {
        let passed = now().saturating_sub(Duration::from_millis(beginning.epoch_ms));
        let readings = std::mem::take(&mut beginning.course.clock);
        Self {
            epoch_ms: beginning.epoch_ms,
            source: if beginning.pinned {
                Source::Counted
            } else {
                Source::Machine {
                    since: Instant::now(),
                    then: tenths(passed),
                }
            },
            last: 0,
            again: readings.into(),
            taken: Some(Vec::new()),
        }
    }

    /// Returns the start of the session in milliseconds since 1970.
    pub const fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// Returns the current reading, in tenths of a millisecond since the start of the session.
    pub fn read(&mut self) -> u64 {
        if let Some(Reading(at, times)) = self.again.front_mut() {
            self.last = *at;
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.again.pop_front();
            }
            return self.last;
        }
        let at = match &self.source {
            Source::Machine { since, then } => then + tenths(since.elapsed()),
            Source::Counted => self.last + 1,
        };
        self.last = at.max(self.last);
        if let Some(taken) = &mut self.taken {
            match taken.last_mut() {
                Some(Reading(at, times)) if *at == self.last => *times += 1,
                _ => taken.push(Reading(self.last, 1)),
            }
        }
        self.last
    }

    /// Returns the milliseconds since the start of the session, as cells see them.
    pub fn read_ms(&mut self) -> f64 {
        as_float(self.read()) / as_float(TICKS_PER_MILLISECOND)
    }

    /// Returns the whole milliseconds since 1970, as cells see them.
    pub fn read_date(&mut self) -> f64 {
        as_float(self.epoch_ms + self.read() / TICKS_PER_MILLISECOND)
    }

    /// Returns a timer's sort key, which orders timers by due time on this clock.
    pub fn place_of(&self, due: Instant, delay: Duration) -> u128 {
        match &self.source {
            Source::Machine { since, .. } => due.saturating_duration_since(*since).as_nanos(),
            Source::Counted => u128::from(self.last + tenths(delay)),
        }
    }

    /// Advances a counted clock to the due time of a timer that fires, given by its sort key.
    pub fn reach(&mut self, place: u128) {
        if let Source::Counted = self.source {
            self.last = self.last.max(u64::try_from(place).unwrap_or(u64::MAX));
        }
    }

    /// Returns the readings recorded since the last call.
    pub fn take_readings(&mut self) -> Vec<Reading> {
        self.taken.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn tenths(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros() / 100).unwrap_or(u64::MAX)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a float represents tenths of milliseconds exactly for ten thousand years"
)]
fn as_float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::RecordedSteps;

    fn beginning(pinned: bool, clock: Vec<Reading>) -> SessionStart {
        SessionStart {
            seed: 1,
            epoch_ms: 1_000,
            pinned,
            course: RecordedSteps {
                steps: Vec::new(),
                clock,
            },
        }
    }

    #[test]
    fn replays_readings_then_continues() {
        let earlier = vec![Reading(5, 2), Reading(25, 1)];
        let mut clock = Clock::of(&mut beginning(false, earlier));
        assert_eq!([clock.read(), clock.read()], [5, 5]);
        assert!((clock.read_date() - 1_002.0).abs() < f64::EPSILON);
        assert_eq!(clock.take_readings(), []);
        let next = clock.read();
        assert!(
            next > 25,
            "the reading does not follow the replayed ones: {next}"
        );
        assert_eq!(clock.take_readings(), [Reading(next, 1)]);
    }

    #[test]
    fn pinned_clock_counts_readings_and_timers() {
        let mut clock = Clock::of(&mut beginning(true, Vec::new()));
        assert_eq!([clock.read(), clock.read()], [1, 2]);
        let place = clock.place_of(Instant::now(), Duration::from_secs(1));
        clock.reach(place);
        assert_eq!(clock.read(), 10_003);
        assert_eq!(clock.take_readings().len(), 3);
    }
}
