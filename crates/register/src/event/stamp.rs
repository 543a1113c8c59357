//! Ids and times for new events.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use sexton_sys::Clock;

use crate::{Text, Timestamp, now_timestamp};

/// The id of one event: any text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(Text);

impl EventId {
    /// The id, or nothing if it is empty.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Option<Self> {
        Text::new(text).map(Self)
    }

    pub(super) fn of_text(text: Text) -> Self {
        Self(text)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Makes an event id: 16 hexadecimal digits of Unix nanoseconds, then 32 of a random UUID of version 4.
///
/// `new_event_id` of the lifecycle document. Ids sort by the time they were made; `random` sets those apart that were
/// made in the same nanosecond.
#[must_use]
pub fn new_event_id(now_ns: i128, random: u128) -> EventId {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let uuid = (random & !VERSION & !VARIANT) | 4 << 76 | 0b10 << 62;
    let now = u64::try_from(now_ns.max(0)).unwrap_or(u64::MAX);
    EventId(Text::of_non_empty(format!("{now:016x}{uuid:032x}")))
}

/// Where new events get their ids and times from.
#[derive(Clone, Copy)]
pub struct Stamps<'a> {
    clock: &'a dyn Clock,
    random: Randomness<'a>,
}

#[derive(Clone, Copy)]
enum Randomness<'a> {
    Kernel,
    Counted(&'a AtomicU64),
}

impl<'a> Stamps<'a> {
    /// Stamps with the time of `clock` and random bits from the kernel.
    #[must_use]
    pub fn new(clock: &'a dyn Clock) -> Self {
        Self {
            clock,
            random: Randomness::Kernel,
        }
    }

    /// Stamps whose random bits are `counter`, counted up; for tests that compare whole lines.
    #[must_use]
    pub fn counted(clock: &'a dyn Clock, counter: &'a AtomicU64) -> Self {
        Self {
            clock,
            random: Randomness::Counted(counter),
        }
    }

    /// The time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The time as an event carries it.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        now_timestamp(self.clock.now_ms())
    }

    /// A new id; fails only if the kernel has no random bits to give.
    pub fn id(&self) -> std::io::Result<EventId> {
        let random = match self.random {
            Randomness::Kernel => sexton_sys::random_u128()?,
            Randomness::Counted(counter) => u128::from(counter.fetch_add(1, Ordering::Relaxed)),
        };
        Ok(new_event_id(self.clock.now_ns(), random))
    }
}

impl fmt::Debug for Stamps<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stamps").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_shape_of_the_format_and_sort_by_time() {
        let id = new_event_id(0x0123_4567_89ab_cdef, u128::MAX);
        assert_eq!(id.as_str(), "0123456789abcdefffffffffffff4fffbfffffffffffffff");
        assert_eq!(
            new_event_id(1, 0).as_str(),
            "000000000000000100000000000040008000000000000000"
        );
        assert!(new_event_id(255, u128::MAX) < new_event_id(256, 0));
        assert_eq!(new_event_id(-1, 0).as_str().len(), 48);
    }
}
