//! The wall clock, injected.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Nanoseconds since the Unix epoch; negative before 1970.
    fn now_ns(&self) -> i128;

    /// Milliseconds since the Unix epoch, rounded down.
    fn now_ms(&self) -> i64 {
        i64::try_from(self.now_ns().div_euclid(1_000_000)).unwrap_or(i64::MAX)
    }
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the machine for the time"
    )]
    fn now_ns(&self) -> i128 {
        let now = SystemTime::now();
        let signed = |nanoseconds: u128| i128::try_from(nanoseconds).unwrap_or(i128::MAX);
        match now.duration_since(UNIX_EPOCH) {
            Ok(since) => signed(since.as_nanos()),
            Err(before) => -signed(before.duration().as_nanos()),
        }
    }
}

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that stands at `ms` milliseconds since the Unix epoch.
    #[must_use]
    pub fn at_ms(ms: i64) -> Self {
        Self(AtomicI64::new(ms))
    }

    /// Moves the clock; `ms` may be negative, as clocks do go backwards.
    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now_ns(&self) -> i128 {
        i128::from(self.0.load(Ordering::Relaxed)) * 1_000_000
    }
}
