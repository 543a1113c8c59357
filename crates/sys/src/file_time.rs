//! A file's time stamp, exactly as the kernel keeps it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Seconds and nanoseconds since the Unix epoch; seconds are negative before 1970.
///
/// Kept as the kernel's two numbers, so that a time from the year 9999 or 1901 survives a round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileTime {
    /// Whole seconds.
    pub seconds: i64,
    /// The rest, 0 to 999,999,999.
    pub nanoseconds: u32,
}

impl FileTime {
    /// The modification time in `metadata`.
    #[must_use]
    pub fn modified(metadata: &Metadata) -> Self {
        Self {
            seconds: metadata.mtime(),
            nanoseconds: u32::try_from(metadata.mtime_nsec()).unwrap_or(0),
        }
    }

    /// The time `ms` milliseconds after the Unix epoch.
    #[must_use]
    pub fn from_ms(ms: i64) -> Self {
        Self {
            seconds: ms.div_euclid(1000),
            nanoseconds: u32::try_from(ms.rem_euclid(1000)).unwrap_or(0) * 1_000_000,
        }
    }

    /// Milliseconds since the Unix epoch, rounded down; saturates far outside any calendar.
    #[must_use]
    pub fn as_ms(self) -> i64 {
        self.seconds
            .saturating_mul(1000)
            .saturating_add(i64::from(self.nanoseconds / 1_000_000))
    }

    /// Nanoseconds since the Unix epoch, where they fit (the years 1678 to 2262).
    #[must_use]
    pub fn as_ns(self) -> Option<i64> {
        self.seconds
            .checked_mul(1_000_000_000)?
            .checked_add(i64::from(self.nanoseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_before_1970_round_down() {
        let time = FileTime::from_ms(-1);
        assert_eq!(
            time,
            FileTime {
                seconds: -1,
                nanoseconds: 999_000_000
            }
        );
        assert_eq!(time.as_ms(), -1);
    }

    #[test]
    fn the_far_future_saturates() {
        let time = FileTime {
            seconds: i64::MAX,
            nanoseconds: 0,
        };
        assert_eq!(time.as_ms(), i64::MAX);
        assert_eq!(time.as_ns(), None);
    }
}
