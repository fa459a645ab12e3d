//! The clock that cells read. It begins with the session; what it said is written down, and can be said again.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::message::{Beginning, Reading};

/// Tenths of a millisecond in a millisecond: the clock is no finer.
const TENTHS: u64 = 10;

/// A session's clock.
pub(crate) struct Clock {
    /// Milliseconds since 1970 at which the session began.
    epoch_ms: u64,
    source: Source,
    /// The newest reading, in tenths of a millisecond since the session began: none is earlier.
    last: u64,
    /// Readings that are to be given before all others.
    again: VecDeque<Reading>,
    /// Readings since they were last asked for, if anybody asks.
    taken: Option<Vec<Reading>>,
}

enum Source {
    /// The machine's clock; it was so many tenths after the session's beginning at that instant.
    Machine { since: Instant, then: u64 },
    /// What cells do: a reading takes a tenth, and a timer its time.
    Counted,
}

impl Default for Clock {
    /// One that begins now and writes nothing down.
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
    /// One of a session that begins so. It writes down what it says, beyond what it says again.
    pub fn of(beginning: &mut Beginning) -> Self {
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

    /// Milliseconds since 1970 at which the session began.
    pub const fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// What it says now: tenths of a millisecond since the session began.
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

    /// Milliseconds since the session began, of which one that cells read.
    pub fn read_ms(&mut self) -> f64 {
        as_float(self.read()) / as_float(TENTHS)
    }

    /// Whole milliseconds since 1970, likewise.
    pub fn read_date(&mut self) -> f64 {
        as_float(self.epoch_ms + self.read() / TENTHS)
    }

    /// The place of a timer among the timers: by when it is due.
    pub fn place_of(&self, due: Instant, delay: Duration) -> u128 {
        match &self.source {
            Source::Machine { since, .. } => due.saturating_duration_since(*since).as_nanos(),
            Source::Counted => u128::from(self.last + tenths(delay)),
        }
    }

    /// A timer at this place fires.
    pub fn reach(&mut self, place: u128) {
        if let Source::Counted = self.source {
            self.last = self.last.max(u64::try_from(place).unwrap_or(u64::MAX));
        }
    }

    /// The readings since they were last taken.
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
    reason = "tenths of milliseconds fit for ten thousand years"
)]
fn as_float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Course;

    fn beginning(pinned: bool, clock: Vec<Reading>) -> Beginning {
        Beginning {
            seed: 1,
            epoch_ms: 1_000,
            pinned,
            course: Course {
                steps: Vec::new(),
                clock,
            },
        }
    }

    #[test]
    fn readings_are_given_again_and_then_go_on() {
        let earlier = vec![Reading(5, 2), Reading(25, 1)];
        let mut clock = Clock::of(&mut beginning(false, earlier));
        assert_eq!([clock.read(), clock.read()], [5, 5]);
        assert!((clock.read_date() - 1_002.0).abs() < f64::EPSILON);
        assert_eq!(clock.take_readings(), []);
        let next = clock.read();
        assert!(next > 25, "the machine's clock is far beyond: {next}");
        assert_eq!(clock.take_readings(), [Reading(next, 1)]);
    }

    #[test]
    fn a_pinned_clock_counts_readings_and_timers() {
        let mut clock = Clock::of(&mut beginning(true, Vec::new()));
        assert_eq!([clock.read(), clock.read()], [1, 2]);
        let place = clock.place_of(Instant::now(), Duration::from_secs(1));
        clock.reach(place);
        assert_eq!(clock.read(), 10_003);
        assert_eq!(clock.take_readings().len(), 3);
    }
}
