//! Summaries of the store's files, kept by one load for the next, which then reads only what has changed since.
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

use crate::{Event, SessionId, SessionLifecycle};

/// The first bytes of the file, which say what it is and in which version; another version's file holds nothing.
const HEADER: &[u8] = b"sexton register summaries 1\n";

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
    /// The summary.
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
    pub(crate) fn all(kept: &'a Bytes) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::with_capacity(kept.len() / 400);
        let mut reader = Reader::of(kept);
        if reader.take(HEADER.len()) != Some(HEADER) {
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
        (self.stamp == *stamp).then(|| self.recall()).flatten()
    }

    /// The kept summary, whatever the file looks like by now, if the entry is whole.
    fn recall(&self) -> Option<SessionLifecycle> {
        let content = self.whole.get(size_of::<u32>()..)?;
        let (own, summed) = content.split_first_chunk()?;
        if u64::from_le_bytes(*own) != sum(summed) {
            return None;
        }
        let mut body = self.body;
        let summary = SessionLifecycle::recall(&mut body)?;
        (body.rest.is_empty() && summary.session == self.session).then_some(summary)
    }
}

/// What was kept, by session, whatever the store's files say by now: something to show until they have been looked at.
///
/// `kept` is what the last [`LoadedAgain::keep`](crate::LoadedAgain::keep) was, and may be damaged: then there is less.
#[must_use]
pub fn recall_all(kept: Vec<u8>) -> Vec<SessionLifecycle> {
    let kept = Bytes::from(kept);
    let entries = KeptEntry::all(&kept);
    entries.par_iter().filter_map(KeptEntry::recall).collect()
}

/// An empty kept file, to which entries are added in the order of their sessions.
pub(crate) fn begin(capacity: usize) -> Vec<u8> {
    let mut kept = Vec::with_capacity(HEADER.len() + capacity);
    kept.extend(HEADER);
    kept
}

/// Adds the entry of one file.
pub(crate) fn add(kept: &mut Vec<u8>, stamp: &FileStamp, summary: &SessionLifecycle) {
    let start = kept.len();
    0_u32.keep(kept);
    let content = kept.len();
    0_u64.keep(kept);
    let summed = kept.len();
    summary.session.keep(kept);
    stamp.keep(kept);
    summary.keep(kept);
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
