//! Dates as people type them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// How a typed date was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DateReading {
    /// An RFC 3339 date-time: exactly this instant.
    Instant,
    /// A day: its first moment in the local time zone.
    LocalMidnight,
    /// An age: this long before now.
    Age,
    /// An age in seconds or minutes. `6m` may be meant for months: what puts sessions away takes none.
    ShortAge,
}

/// An instant and how it was come by, since a command says so before it acts on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadDate {
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// How it was understood.
    pub reading: DateReading,
}

/// A text that is no date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DateError {
    /// None of the three forms.
    #[error(
        "`{}` is no date: expected a day such as `2026-03-01`, a date-time with offset such as `2026-03-01T12:00:00Z`, or an age such as `30d` (s, m, h, d, w or y: seconds, minutes, hours, days, weeks, years)",
        .0.escape_debug()
    )]
    Unknown(String),
    /// An age of nothing is now, and would match every session.
    #[error("`{0}` is now, and everything is older than that")]
    NoAge(String),
    /// A date outside the calendar.
    #[error("`{0}` is outside the years -9999 to 9999")]
    OutOfRange(String),
}

const HOUR: i64 = 3600;

/// Reads an RFC 3339 date-time, a day (`2026-03-01`: its first moment in `zone`), or an age (`90s`, `30m`, `12h`, `30d`, `2w`, `1y` before
/// `now_ms`).
pub fn read_date(text: &str, now_ms: i64, zone: &TimeZone) -> Result<ReadDate, DateError> {
    let text = text.trim();
    if let Some((number, seconds)) = as_age(text) {
        return before(text, number, seconds, now_ms);
    }
    let out_of_range = |_| DateError::OutOfRange(text.to_owned());
    if let Some(day) = as_day(text) {
        let start = day
            .to_zoned_datetime(zone.clone())
            .and_then(|zoned| zoned.start_of_day());
        return Ok(ReadDate {
            at_ms: start.map_err(out_of_range)?.timestamp().as_millisecond(),
            reading: DateReading::LocalMidnight,
        });
    }
    let instant: Timestamp = text.parse().map_err(|_| DateError::Unknown(text.to_owned()))?;
    Ok(ReadDate {
        at_ms: instant.as_millisecond(),
        reading: DateReading::Instant,
    })
}

/// A number and the seconds of its unit: every age that a list prints can be typed.
fn as_age(text: &str) -> Option<(&str, i64)> {
    let number = text.get(..text.len().checked_sub(1)?)?;
    let seconds = match text.as_bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => HOUR,
        b'd' => 24 * HOUR,
        b'w' => 7 * 24 * HOUR,
        // As many as are shown as one.
        b'y' => 31_557_600,
        _ => return None,
    };
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((number, seconds))
}

/// Days are 24 hours here: an age is a length of time, not a matter of calendars.
fn before(text: &str, number: &str, seconds: i64, now_ms: i64) -> Result<ReadDate, DateError> {
    let out_of_range = || DateError::OutOfRange(text.to_owned());
    let number: i64 = number.parse().map_err(|_| out_of_range())?;
    if number == 0 {
        return Err(DateError::NoAge(text.to_owned()));
    }
    let age = number.checked_mul(seconds).ok_or_else(out_of_range)?;
    let now = Timestamp::from_millisecond(now_ms).map_err(|_| out_of_range())?;
    let then = now.checked_sub(SignedDuration::from_secs(age));
    Ok(ReadDate {
        at_ms: then.map_err(|_| out_of_range())?.as_millisecond(),
        reading: if seconds < HOUR {
            DateReading::ShortAge
        } else {
            DateReading::Age
        },
    })
}

/// Exactly `YYYY-MM-DD`.
fn as_day(text: &str) -> Option<Date> {
    let spelled = text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    spelled.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_772_366_400_000; // 2026-03-01T12:00:00Z

    fn read(text: &str) -> Result<(String, DateReading), DateError> {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        read_date(text, NOW_MS, &zone).map(|date| {
            let instant = Timestamp::from_millisecond(date.at_ms).unwrap();
            (instant.to_string(), date.reading)
        })
    }

    #[test]
    fn the_three_forms() {
        for (text, instant, reading) in [
            ("2026-02-01", "2026-01-31T22:00:00Z", DateReading::LocalMidnight),
            ("2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", DateReading::Instant),
            (
                "2026-02-01T00:00:00+05:30",
                "2026-01-31T18:30:00Z",
                DateReading::Instant,
            ),
            ("12h", "2026-03-01T00:00:00Z", DateReading::Age),
            ("30d", "2026-01-30T12:00:00Z", DateReading::Age),
            (" 2w ", "2026-02-15T12:00:00Z", DateReading::Age),
            ("90s", "2026-03-01T11:58:30Z", DateReading::ShortAge),
            ("30m", "2026-03-01T11:30:00Z", DateReading::ShortAge),
            ("1y", "2025-03-01T06:00:00Z", DateReading::Age),
        ] {
            assert_eq!(read(text), Ok((instant.to_owned(), reading)), "{text}");
        }
    }

    #[test]
    fn everything_else_says_what_is_expected() {
        for text in [
            "",
            "d",
            "30",
            "30x",
            "m",
            "-3d",
            "3.5d",
            "2026-2-1",
            "2026-02-30",
            "2026-02-01T00:00:00",
            "yesterday",
            "é",
        ] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, DateError::Unknown(_)), "{text}: {error}");
        }
        assert!(matches!(read("0d"), Err(DateError::NoAge(_))));
        assert!(matches!(read("00w"), Err(DateError::NoAge(_))));
        for text in ["99999999999999999999d", "9999999999999999w", "9999999d"] {
            assert!(matches!(read(text), Err(DateError::OutOfRange(_))), "{text}");
        }
    }

    #[test]
    fn a_day_that_begins_at_one_begins_at_one() {
        // A zone that springs forward at midnight has no 00:00 on that day.
        let Ok(zone) = TimeZone::get("America/Asuncion") else {
            return;
        };
        let date = read_date("2024-10-06", NOW_MS, &zone).unwrap();
        let start = Timestamp::from_millisecond(date.at_ms).unwrap().to_zoned_datetime(zone);
        assert_eq!((start.date().to_string().as_str(), start.hour()), ("2024-10-06", 1));
    }
}
