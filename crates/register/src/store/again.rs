//! Reading files again of which an earlier reading has kept something.

use std::io;
use std::path::Path;

use bytes::Bytes;
use rayon::prelude::*;
use sexton_sys::listing::OpenDirectory;

use super::directory::session_file;
use super::read::{events_in, read_content};
use crate::kept::{self, FileName, FileStamp, Header, Keep, KeptEntry};
use crate::summary::Newest;
use crate::{LifecycleError, SessionId, SessionLifecycle};

/// The files that are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Store<'s> {
    pub(super) directory: &'s Path,
    /// The same, held open; `None` if it is absent.
    pub(super) open: Option<&'s OpenDirectory>,
    pub(super) now_ms: i64,
}

/// What an earlier reading kept.
pub(super) struct Kept<T> {
    pub(super) bytes: Bytes,
    pub(super) header: Header,
    /// What an entry says of a file that looks like this.
    pub(super) recall: fn(&KeptEntry<'_>, &FileStamp) -> Option<T>,
}

/// What came of one file.
pub(super) struct Read<T> {
    /// Unless it can't be read.
    pub(super) value: Option<T>,
    pub(super) problems: Vec<LifecycleError>,
    /// Whether it was kept by an earlier reading.
    is_known: bool,
    /// How the file looked before it was read, if the value may be kept.
    stamp: Option<FileStamp>,
}

impl Store<'_> {
    /// What `of` makes of each of these files, which are sorted, and what to keep of that from now on if it pays to write it. Files that look as they did when
    /// something was kept of them are not opened.
    pub(super) fn read_again<T: Keep + Send>(
        &self,
        sessions: &[SessionId],
        kept: &Kept<T>,
        of: impl Fn(SessionLifecycle) -> T + Sync,
    ) -> (Vec<Read<T>>, Option<Vec<u8>>) {
        let entries = KeptEntry::all(&kept.bytes, kept.header);
        let places = beside(sessions, &entries);
        let read: Vec<Read<T>> = sessions
            .par_iter()
            .zip(&places)
            .with_min_len(64)
            .map_init(Vec::new, |content, (session, entry)| {
                let look = self.open.map(|open| open.look(FileName::of(*session).as_c_str()));
                if let Some(Err(error)) = &look
                    && error.kind() == io::ErrorKind::NotFound
                {
                    return Read::absent(of(SessionLifecycle::nothing(*session)));
                }
                let stamp = look.and_then(Result::ok).and_then(|look| FileStamp::of(&look));
                let known = entry.zip(stamp).and_then(|(entry, stamp)| (kept.recall)(entry, &stamp));
                match known {
                    Some(value) => Read::known(value),
                    None => self.read(*session, content, stamp, &of),
                }
            })
            .collect();
        let keep = keep(kept.header, sessions, &read, &places, entries.len());
        (read, keep)
    }

    /// Reads a file, as far as it can be.
    fn read<T>(
        &self,
        session: SessionId,
        content: &mut Vec<u8>,
        stamp: Option<FileStamp>,
        of: impl Fn(SessionLifecycle) -> T,
    ) -> Read<T> {
        let (mut newest, mut problems) = (Newest::default(), Vec::new());
        let path = session_file(self.directory, session);
        let is_read = read_content(&path, content);
        let is_readable = is_read.is_ok();
        match is_read {
            Ok(()) => {
                for item in events_in(&path, content) {
                    match item {
                        Ok(event) => newest.take(event),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            Err(problem) => problems.push(problem),
        }
        Read {
            value: is_readable.then(|| of(newest.summary(session))),
            // What is wrong must be said each time.
            stamp: stamp.filter(|stamp| problems.is_empty() && stamp.is_settled(self.now_ms)),
            problems,
            is_known: false,
        }
    }
}

impl<T> Read<T> {
    /// Of a file that isn't there, which holds nothing; there is nothing to be kept of it.
    fn absent(value: T) -> Self {
        Self {
            value: Some(value),
            problems: Vec::new(),
            is_known: false,
            stamp: None,
        }
    }

    fn known(value: T) -> Self {
        Self {
            value: Some(value),
            problems: Vec::new(),
            is_known: true,
            stamp: None,
        }
    }
}

/// The entry of each session, if there is one; both are sorted.
fn beside<'e, 'k>(sessions: &[SessionId], entries: &'e [KeptEntry<'k>]) -> Vec<Option<&'e KeptEntry<'k>>> {
    let mut entries = entries.iter().peekable();
    let beside = sessions.iter().map(|session| {
        while entries.next_if(|entry| entry.session < *session).is_some() {}
        entries.next_if(|entry| entry.session == *session)
    });
    beside.collect()
}

/// What to keep from now on, if what is kept has fallen so far behind that it pays to write it anew.
fn keep<T: Keep>(
    header: Header,
    sessions: &[SessionId],
    read: &[Read<T>],
    places: &[Option<&KeptEntry<'_>>],
    entries: usize,
) -> Option<Vec<u8>> {
    /// Reading so many files takes as long as writing a small kept file.
    const FEW: usize = 16;
    /// Of a large store, one part in so many may be read each time before all is written again.
    const PART: usize = 64;
    let news = read.iter().filter(|read| read.stamp.is_some()).count();
    let known = read.iter().filter(|read| read.is_known).count();
    let behind = news.max(entries.saturating_sub(known));
    if behind < FEW.max(read.len() / PART) {
        return None;
    }
    let mut kept = kept::begin(header);
    for ((session, read), place) in sessions.iter().zip(read).zip(places) {
        match (&read.value, read.stamp, place) {
            (Some(value), Some(stamp), _) => kept::add(&mut kept, *session, &stamp, value),
            (_, _, Some(entry)) if read.is_known => kept.extend(entry.whole),
            _ => {}
        }
    }
    Some(kept)
}
