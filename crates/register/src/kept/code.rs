//! Values as bytes: little-endian numbers, and text with its length before it.

use crate::{EventId, SessionId, Text, Timestamp};

/// A value that can be kept and recalled. Bytes that no value has are `None`, never a panic and never an invalid value.
pub(crate) trait Keep: Sized {
    fn keep(&self, out: &mut Vec<u8>);

    fn recall(bytes: &mut &[u8]) -> Option<Self>;
}

/// Splits off the next `length` bytes.
pub(super) fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn keep_text(text: &str, out: &mut Vec<u8>) {
    // Longer than 4 GiB is no file that is read.
    out.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(text.as_bytes());
}

fn recall_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let length = u32::recall(bytes)?;
    std::str::from_utf8(take(bytes, usize::try_from(length).ok()?)?).ok()
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Keep for $number {
            fn keep(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn recall(bytes: &mut &[u8]) -> Option<Self> {
                let taken = take(bytes, size_of::<Self>())?;
                Some(Self::from_le_bytes(taken.try_into().ok()?))
            }
        })+
    };
}

numbers!(u8, u32, u64, i64);

impl Keep for Text {
    fn keep(&self, out: &mut Vec<u8>) {
        keep_text(self, out);
    }

    fn recall(bytes: &mut &[u8]) -> Option<Self> {
        Self::new(recall_text(bytes)?)
    }
}

impl Keep for EventId {
    fn keep(&self, out: &mut Vec<u8>) {
        keep_text(self.as_str(), out);
    }

    fn recall(bytes: &mut &[u8]) -> Option<Self> {
        Text::recall(bytes).map(Self::from)
    }
}

impl Keep for SessionId {
    fn keep(&self, out: &mut Vec<u8>) {
        out.extend(self.as_str().as_bytes());
    }

    fn recall(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_bytes(take(bytes, Self::LENGTH)?)
    }
}

impl Keep for Timestamp {
    fn keep(&self, out: &mut Vec<u8>) {
        self.ms().keep(out);
        keep_text(self.as_str(), out);
    }

    fn recall(bytes: &mut &[u8]) -> Option<Self> {
        let ms = i64::recall(bytes)?;
        Some(Self::of_checked(recall_text(bytes)?, ms))
    }
}

impl<T: Keep> Keep for Option<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => {
                out.push(1);
                value.keep(out);
            }
            None => out.push(0),
        }
    }

    fn recall(bytes: &mut &[u8]) -> Option<Self> {
        match u8::recall(bytes)? {
            0 => Some(None),
            1 => T::recall(bytes).map(Some),
            _ => None,
        }
    }
}
