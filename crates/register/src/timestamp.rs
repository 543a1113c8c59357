//! The `at` of an event: RFC 3339 text, kept as it was written.
//!
//! The store is ordered by this text, not by the instant it means, because two programs read it and must agree. The
//! instant is what the sweep's grace period is measured by.

use std::fmt;

use bytestring::ByteString;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, date};

/// A date-time with an offset, as RFC 3339 spells it, with its instant.
///
/// Ordered and compared by its text, as the store is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    text: ByteString,
    ms: i64,
}

/// Why a text is no timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTimestamp {
    /// It has not the shape of an RFC 3339 date-time.
    #[error("is not an RFC 3339 date-time such as `2026-01-31T23:59:59.000Z`")]
    Shape,
    /// It would be one, but says nothing about the offset from UTC.
    #[error("has no offset from UTC")]
    NoOffset,
    /// A number in it is out of its range, such as an hour 24 or a 30 February.
    #[error("names a date or time that does not exist")]
    NoSuchTime,
}

const EPOCH: Date = date(1970, 1, 1);

/// What [`Timestamp::parse`] accepts, as far as a pattern can say it.
pub(crate) const TIMESTAMP_PATTERN: &str = concat!(
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
    "T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?",
    "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
);

impl Timestamp {
    /// Takes a date-time with an offset.
    ///
    /// Stricter than RFC 3339 in that `T` and `Z` are uppercase. Second 60 is taken whenever it is written, and means
    /// second 59.
    pub fn parse(text: &str) -> Result<Self, InvalidTimestamp> {
        let ms = parse_ms(text.as_bytes())?;
        Ok(Self { text: text.into(), ms })
    }

    /// One that was parsed before, with what came of it.
    pub(crate) fn of_checked(text: ByteString, ms: i64) -> Self {
        Self { text, ms }
    }

    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The instant in milliseconds since the Unix epoch, rounded down.
    #[must_use]
    pub fn ms(&self) -> i64 {
        self.ms
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.text)
    }
}

/// Renders an instant in the one spelling that is written: UTC with milliseconds, always 24 characters.
///
/// `now_timestamp` of the lifecycle document, which takes milliseconds since the Unix epoch, too. Instants outside the
/// years 0 to 9999, which four digits can't spell, become the first or last millisecond of that time.
#[must_use]
pub fn now_timestamp(now_ms: i64) -> Timestamp {
    let first = DateTime::from_parts(date(0, 1, 1), jiff::civil::Time::MIN);
    let last_ms = 253_402_300_799_999;
    let ms = now_ms.clamp(-62_167_219_200_000, last_ms);
    let when = DateTime::from_parts(EPOCH, jiff::civil::Time::MIN)
        .checked_add(SignedDuration::from_millis(ms))
        .unwrap_or(first);
    // By hand: a list prints a hundred thousand of them.
    let mut text = *b"0000-00-00T00:00:00.000Z";
    for (place, number) in [
        (0..4, when.year()),
        (5..7, when.month().into()),
        (8..10, when.day().into()),
        (11..13, when.hour().into()),
        (14..16, when.minute().into()),
        (17..19, when.second().into()),
        (20..23, when.millisecond()),
    ] {
        write_digits(&mut text[place], number.unsigned_abs());
    }
    let text = std::str::from_utf8(&text).unwrap_or_default();
    Timestamp { text: text.into(), ms }
}

/// Writes as many digits of `number`, from its end, as there is room for.
fn write_digits(room: &mut [u8], mut number: u16) {
    for place in room.iter_mut().rev() {
        // Below ten, so that nothing is lost.
        *place = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

/// Reads an `at` back into milliseconds since the Unix epoch; `parse_timestamp_ms` of the lifecycle document.
pub fn parse_timestamp_ms(at: &str) -> Result<i64, InvalidTimestamp> {
    parse_ms(at.as_bytes())
}

fn parse_ms(text: &[u8]) -> Result<i64, InvalidTimestamp> {
    use InvalidTimestamp::{NoOffset, NoSuchTime, Shape};

    let Some((head, tail)) = text.split_at_checked(19) else {
        return Err(Shape);
    };
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|(index, separator)| head[*index] != *separator) {
        return Err(Shape);
    }
    let number = |from: usize, to: usize| decimal(&head[from..to]).ok_or(Shape);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);

    let (fraction, offset) = match tail.strip_prefix(b".") {
        Some(rest) => rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_digit()).count()),
        None => (&[][..], tail),
    };
    if fraction.is_empty() && tail.first() == Some(&b'.') {
        return Err(Shape);
    }
    let offset_minutes = match offset {
        b"Z" => 0,
        [] => return Err(NoOffset),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let hours = decimal(&[*h1, *h2]).ok_or(Shape)?;
            let minutes = decimal(&[*m1, *m2]).ok_or(Shape)?;
            if hours > 23 || minutes > 59 {
                return Err(NoSuchTime);
            }
            let ahead = i64::from(hours) * 60 + i64::from(minutes);
            if *sign == b'-' { -ahead } else { ahead }
        }
        _ => return Err(Shape),
    };
    if hour > 23 || minute > 59 || second > 60 {
        return Err(NoSuchTime);
    }
    // Four digits fit an i16, two an i8.
    let narrow = |number: u16| i8::try_from(number).map_err(|_| NoSuchTime);
    let day = Date::new(
        i16::try_from(year).map_err(|_| NoSuchTime)?,
        narrow(month)?,
        narrow(day)?,
    )
    .map_err(|_| NoSuchTime)?;

    let midnight = day.duration_since(EPOCH).as_secs();
    let seconds =
        midnight + i64::from(hour) * 3600 + (i64::from(minute) - offset_minutes) * 60 + i64::from(second.min(59));
    Ok(seconds * 1000 + milliseconds(fraction))
}

/// The number that these digits spell, if they are all digits; at most four of them.
fn decimal(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u16::from(byte - b'0'))
    })
}

/// The first three digits of a fraction, the rest cut off.
fn milliseconds(fraction: &[u8]) -> i64 {
    let digit = |index| fraction.get(index).map_or(0, |byte: &u8| i64::from(byte - b'0'));
    digit(0) * 100 + digit(1) * 10 + digit(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_written_spelling_is_fixed() {
        assert_eq!(now_timestamp(0).as_str(), "1970-01-01T00:00:00.000Z");
        assert_eq!(now_timestamp(-1).as_str(), "1969-12-31T23:59:59.999Z");
        assert_eq!(now_timestamp(1_790_000_000_123).as_str(), "2026-09-21T14:13:20.123Z");
        assert_eq!(now_timestamp(i64::MIN).as_str(), "0000-01-01T00:00:00.000Z");
        assert_eq!(now_timestamp(i64::MAX).as_str(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn offsets_and_fractions_are_read() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00+00:00", 0),
            ("1970-01-01T00:00:00-00:00", 0),
            ("1970-01-01T01:30:00.5+01:30", 500),
            ("1969-12-31T23:59:59.9999-23:59", 86_340_000 - 1),
            ("1970-01-01T00:00:00.12345678901234567890Z", 123),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("0000-01-01T00:00:00+23:59", -62_167_219_200_000 - 86_340_000),
            ("9999-12-31T23:59:59.999-23:59", 253_402_300_799_999 + 86_340_000),
        ] {
            assert_eq!(parse_timestamp_ms(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn each_fault_has_its_name() {
        use InvalidTimestamp::{NoOffset, NoSuchTime, Shape};
        for (text, fault) in [
            ("", Shape),
            ("2026-01-01", Shape),
            ("2026-01-01T00:00Z", Shape),
            ("2026-01-01t00:00:00Z", Shape),
            ("2026-01-01T00:00:00z", Shape),
            ("2026-01-01 00:00:00Z", Shape),
            ("2026-01-01T00:00:00.Z", Shape),
            ("2026-01-01T00:00:00,5Z", Shape),
            ("2026-01-01T00:00:00+0100", Shape),
            ("2026-01-01T00:00:00+01", Shape),
            ("2026-01-01T00:00:00Z\n", Shape),
            ("20260101T000000Z", Shape),
            ("+026-01-01T00:00:00Z", Shape),
            ("2026-01-01T00:00:00", NoOffset),
            ("2026-01-01T00:00:00.123", NoOffset),
            ("2026-01-01T24:00:00Z", NoSuchTime),
            ("2026-01-01T00:60:00Z", NoSuchTime),
            ("2026-01-01T00:00:61Z", NoSuchTime),
            ("2026-02-29T00:00:00Z", NoSuchTime),
            ("2026-02-30T00:00:00Z", NoSuchTime),
            ("2026-13-01T00:00:00Z", NoSuchTime),
            ("2026-00-01T00:00:00Z", NoSuchTime),
            ("2026-01-00T00:00:00Z", NoSuchTime),
            ("2026-01-01T00:00:00+24:00", NoSuchTime),
            ("2026-01-01T00:00:00+00:60", NoSuchTime),
        ] {
            assert_eq!(parse_timestamp_ms(text), Err(fault), "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_timestamps_come_back_and_order_as_time(a in -62_167_219_200_000_i64..=253_402_300_799_999, b in -62_167_219_200_000_i64..=253_402_300_799_999) {
            let (first, second) = (now_timestamp(a), now_timestamp(b));
            prop_assert_eq!(parse_timestamp_ms(first.as_str()), Ok(a));
            prop_assert_eq!(first.as_str().len(), 24);
            prop_assert_eq!(a.cmp(&b), first.as_str().cmp(second.as_str()));
        }

        #[test]
        fn no_text_makes_it_fall_over(text in "[0-9TZ:.+-]{0,40}|.{0,40}") {
            let _ = parse_timestamp_ms(&text);
        }
    }
}
