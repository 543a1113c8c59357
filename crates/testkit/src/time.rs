//! The time that tests live in.

use jiff::Timestamp;

/// `2026-11-30T12:00:00.000Z` in milliseconds since the Unix epoch: the "now" of every [`TestEnv`](crate::TestEnv).
pub const NOW_MS: i64 = 1_796_040_000_000;

/// Milliseconds since the Unix epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ`, which Claude Code and the register both write.
pub fn iso(ms: i64) -> String {
    format!(
        "{:.3}",
        Timestamp::from_millisecond(ms).expect("a time within the calendar")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_is_what_it_says() {
        assert_eq!(iso(NOW_MS), "2026-11-30T12:00:00.000Z");
        assert_eq!(iso(-1), "1969-12-31T23:59:59.999Z");
    }
}
