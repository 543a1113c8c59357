//! What one reading of the store's files keeps for the next, which then reads only what has changed since: summaries, or names alone.
//!
//! One file, replaced as a whole, an entry a session; each entry has a sum of its own, so that damage costs what is damaged. Nothing in it
//! is believed of a file that doesn't look exactly as it did: device, inode, size, modification and change time; but by [`recall_all`],
//! which is only shown for a moment. A file that was changed less than [`SETTLED_MS`] before it was read is not kept, because another
//! change could bear the same time.

mod code;

use std::ffi::CStr;

use bytes::Bytes;
use rayon::prelude::*;
use sexton_sys::listing::{EntryKind, Look};
use sexton_sys::{FileIdentity, FileTime};

pub(crate) use code::{Keep, Reader};

use crate::{Event, SessionId, SessionLifecycle, Text};

/// The first bytes of a kept file, which say what it holds and in which version; another one's file holds nothing.
pub(crate) type Header = &'static [u8];

/// Of a file of summaries.
pub(crate) const SUMMARIES: Header = b"sexton register summaries 1\n";

/// Of a file of names.
pub(crate) const NAMES: Header = b"sexton register names 1\n";

/// Larger ones aren't read: a million sessions fit.
pub const MAX_KEPT_BYTES: u64 = 1 << 30;

/// How long a file must have been left alone before it was read, in milliseconds. Kernels stamp files by a clock that stands still for
/// some milliseconds, some file systems for two seconds.
const SETTLED_MS: i64 = 2_000;

/// What a kept entry says of one file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptEntry<'a> {
    pub(crate) session: SessionId,
    stamp: FileStamp,
    /// What is kept of it.
    body: Reader<'a>,
    /// All of the entry's bytes, to be kept again as they are.
    pub(crate) whole: &'a [u8],
}

/// How a file looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    identity: FileIdentity,
    changed: FileTime,
}

impl FileStamp {
    /// The stamp of a regular file.
    pub(crate) fn of(look: &Look) -> Option<Self> {
        (look.kind == EntryKind::File).then_some(Self {
            identity: look.identity,
            changed: look.changed,
        })
    }

    /// Whether the file had been left alone for long enough when it was looked at, at `now_ms`.
    ///
    /// By the time of the last change, which nobody can set: a file whose modification time was set back may be written to right now.
    pub(crate) fn is_settled(&self, now_ms: i64) -> bool {
        self.changed.as_ms() < now_ms.saturating_sub(SETTLED_MS)
    }
}

impl Keep for FileTime {
    fn keep(&self, out: &mut Vec<u8>) {
        self.seconds.keep(out);
        self.nanoseconds.keep(out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            seconds: i64::recall(kept)?,
            nanoseconds: u32::recall(kept)?,
        })
    }
}

impl Keep for FileStamp {
    fn keep(&self, out: &mut Vec<u8>) {
        let FileIdentity {
            device,
            inode,
            size,
            modified,
        } = self.identity;
        for number in [device, inode, size] {
            number.keep(out);
        }
        modified.keep(out);
        self.changed.keep(out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            identity: FileIdentity {
                device: u64::recall(kept)?,
                inode: u64::recall(kept)?,
                size: u64::recall(kept)?,
                modified: FileTime::recall(kept)?,
            },
            changed: FileTime::recall(kept)?,
        })
    }
}

impl<K: Keep> Keep for Event<K> {
    fn keep(&self, out: &mut Vec<u8>) {
        self.id.keep(out);
        self.at.keep(out);
        self.session.keep(out);
        self.source.keep(out);
        self.kind.keep(out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            id: Keep::recall(kept)?,
            at: Keep::recall(kept)?,
            session: Keep::recall(kept)?,
            source: Keep::recall(kept)?,
            kind: Keep::recall(kept)?,
        })
    }
}

impl Keep for SessionLifecycle {
    fn keep(&self, out: &mut Vec<u8>) {
        self.session.keep(out);
        self.started.keep(out);
        self.ended.keep(out);
        self.name.keep(out);
        self.mark.keep(out);
        self.moved.keep(out);
        self.last_at.keep(out);
    }

    fn recall(kept: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            session: Keep::recall(kept)?,
            started: Keep::recall(kept)?,
            ended: Keep::recall(kept)?,
            name: Keep::recall(kept)?,
            mark: Keep::recall(kept)?,
            moved: Keep::recall(kept)?,
            last_at: Keep::recall(kept)?,
        })
    }
}

impl<'a> KeptEntry<'a> {
    /// The entries of a kept file, by session; of one that is damaged or of another version those before the damage, or none.
    pub(crate) fn all(kept: &'a Bytes, header: Header) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut reader = Reader::of(kept);
        if reader.take(header.len()) != Some(header) {
            return found;
        }
        while let Some(entry) = Self::next(&mut reader) {
            // Written in order; what isn't is damage, and would not be found.
            if found.last().is_some_and(|last| last.session >= entry.session) {
                break;
            }
            found.push(entry);
        }
        found
    }

    fn next(kept: &mut Reader<'a>) -> Option<Self> {
        let before = kept.rest;
        let length = usize::try_from(u32::recall(kept)?).ok()?;
        let mut body = kept.part(length)?;
        let whole = &before[..before.len() - kept.rest.len()];
        // Its sum, which is looked at when the entry is asked for.
        body.take(size_of::<u64>())?;
        Some(Self {
            session: SessionId::recall(&mut body)?,
            stamp: FileStamp::recall(&mut body)?,
            body,
            whole,
        })
    }

    /// The kept summary, if the file looks as it did and the entry is whole.
    pub(crate) fn summary(&self, stamp: &FileStamp) -> Option<SessionLifecycle> {
        (self.stamp == *stamp).then(|| self.recall_summary()).flatten()
    }

    /// The kept name, if the file looks as it did and the entry is whole; `Some(None)` of a session without one.
    #[expect(
        clippy::option_option,
        reason = "one says whether it is known, the other whether there is one"
    )]
    pub(crate) fn name(&self, stamp: &FileStamp) -> Option<Option<Text>> {
        (self.stamp == *stamp).then(|| self.recall()).flatten()
    }

    /// The kept summary, whatever the file looks like by now, if the entry is whole.
    fn recall_summary(&self) -> Option<SessionLifecycle> {
        self.recall()
            .filter(|summary: &SessionLifecycle| summary.session == self.session)
    }

    fn recall<T: Keep>(&self) -> Option<T> {
        let content = self.whole.get(size_of::<u32>()..)?;
        let (own, summed) = content.split_first_chunk()?;
        if u64::from_le_bytes(*own) != sum(summed) {
            return None;
        }
        let mut body = self.body;
        let value = T::recall(&mut body)?;
        body.rest.is_empty().then_some(value)
    }
}

/// What was kept, by session, whatever the store's files say by now: something to show until they have been looked at.
///
/// `kept` is what the last [`LoadedAgain::keep`](crate::LoadedAgain::keep) was, and may be damaged: then there is less.
#[must_use]
pub fn recall_all(kept: Vec<u8>) -> Vec<SessionLifecycle> {
    let kept = Bytes::from(kept);
    let entries = KeptEntry::all(&kept, SUMMARIES);
    entries.par_iter().filter_map(KeptEntry::recall_summary).collect()
}

/// An empty kept file, to which entries are added in the order of their sessions.
pub(crate) fn begin(header: Header) -> Vec<u8> {
    header.to_vec()
}

/// Adds the entry of one file.
pub(crate) fn add(kept: &mut Vec<u8>, session: SessionId, stamp: &FileStamp, value: &impl Keep) {
    let start = kept.len();
    0_u32.keep(kept);
    let content = kept.len();
    0_u64.keep(kept);
    let summed = kept.len();
    session.keep(kept);
    stamp.keep(kept);
    value.keep(kept);
    let Ok(length) = u32::try_from(kept.len() - content) else {
        kept.truncate(start);
        return;
    };
    let sum = sum(&kept[summed..]);
    kept[start..content].copy_from_slice(&length.to_le_bytes());
    kept[content..summed].copy_from_slice(&sum.to_le_bytes());
}

/// Tells an entry that was written whole from one that wasn't; no defence against someone who wants to be believed, who could as well
/// write into the store.
fn sum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = words
        .iter()
        .fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    mix(sum, u64::from_le_bytes(last))
}

/// The name of a session's file, as the kernel takes it.
pub(crate) struct FileName([u8; SessionId::LENGTH + 7]);

impl FileName {
    pub(crate) fn of(session: SessionId) -> Self {
        let mut name = [0; SessionId::LENGTH + 7];
        name[..SessionId::LENGTH].copy_from_slice(session.as_str().as_bytes());
        name[SessionId::LENGTH..].copy_from_slice(b".jsonl\0");
        Self(name)
    }

    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
