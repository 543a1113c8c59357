//! Values as bytes: little-endian numbers, and text with its length before it.

use bytes::Bytes;
use bytestring::ByteString;

use crate::{EventId, SessionId, Text, Timestamp};

/// A value that can be kept and recalled. Bytes that no value has are `None`, never a panic and never an invalid value.
pub(crate) trait Keep: Sized {
    fn keep(&self, out: &mut Vec<u8>);

    fn recall(kept: &mut Reader<'_>) -> Option<Self>;
}

/// Reads on in what was kept. Texts are not copied out of it: each is a part of the one allocation, which lives as long as any of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'k> {
    whole: &'k Bytes,
    /// What has not been read yet.
    pub(super) rest: &'k [u8],
}

impl<'k> Reader<'k> {
    /// Reads `whole` from its beginning.
    pub(super) fn of(whole: &'k Bytes) -> Self {
        Self { whole, rest: whole }
    }

    /// Reads the next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<&'k [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// The same for the next `length` bytes alone.
    pub(super) fn part(&mut self, length: usize) -> Option<Self> {
        let rest = self.take(length)?;
        Some(Self { rest, ..*self })
    }

    fn text(&mut self) -> Option<ByteString> {
        let length = u32::recall(self)?;
        let taken = self.take(usize::try_from(length).ok()?)?;
        ByteString::try_from(self.whole.slice_ref(taken)).ok()
    }
}

fn keep_text(text: &str, out: &mut Vec<u8>) {
    // Longer than 4 GiB is no file that is read.
    out.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(text.as_bytes());
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Keep for $number {
            fn keep(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn recall(kept: &mut Reader<'_>) -> Option<Self> {
                let taken = kept.take(size_of::<Self>())?;
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

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Self::shared(kept.text()?)
    }
}

impl Keep for EventId {
    fn keep(&self, out: &mut Vec<u8>) {
        keep_text(self.as_str(), out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Text::recall(kept).map(Self::from)
    }
}

impl Keep for SessionId {
    fn keep(&self, out: &mut Vec<u8>) {
        out.extend(self.as_str().as_bytes());
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Self::from_bytes(kept.take(Self::LENGTH)?)
    }
}

impl Keep for Timestamp {
    fn keep(&self, out: &mut Vec<u8>) {
        self.ms().keep(out);
        keep_text(self.as_str(), out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        let ms = i64::recall(kept)?;
        Some(Self::of_checked(kept.text()?, ms))
    }
}

impl<T: Keep> Keep for Box<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        T::keep(self, out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        T::recall(kept).map(Self::new)
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

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        match u8::recall(kept)? {
            0 => Some(None),
            1 => T::recall(kept).map(Some),
            _ => None,
        }
    }
}
