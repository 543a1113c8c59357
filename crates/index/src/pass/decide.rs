//! What to do about each file, from what is stored and what was seen: no file is touched here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use sexton_register::SessionId;

use super::survey::{Seen, Survey};
use crate::catalogue::{Stored, StoredLook};

/// A file that must be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) seen: Seen,
    /// What was read of it before, if it may go on from there: the reader looks at its bytes first.
    pub(super) stored: Option<Stored>,
    /// Where it is read from.
    pub(super) from: Place,
}

/// Where a file is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The projects tree.
    Projects,
    /// An archive: its session was put away before anyone had read it.
    Archive,
    /// The vault, the file itself being gone.
    Vault,
}

/// All that must be done to bring the catalogue up to date.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Decisions {
    /// To be read, newest first.
    pub(super) jobs: Vec<Job>,
    /// Files that have another path now, with it.
    pub(super) moved: Vec<(i64, PathBuf)>,
    /// Files that are gone and of use still: nothing else holds what they said.
    pub(super) gone: Vec<i64>,
    /// Files that are there again, unchanged.
    pub(super) back: Vec<i64>,
    /// Files that are gone and whose session goes on elsewhere.
    pub(super) dropped: Vec<i64>,
}

impl Decisions {
    /// Whether the catalogue is up to date.
    pub(super) fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// Which of the seen files the catalogue knows, found by path.
pub(super) struct Comparison<'s> {
    survey: &'s Survey,
    by_path: HashMap<&'s [u8], usize>,
    /// For each seen file whether the catalogue has it.
    known: Vec<bool>,
}

impl<'s> Comparison<'s> {
    pub(super) fn with(survey: &'s Survey) -> Self {
        let files = survey.files.iter().enumerate();
        Self {
            survey,
            // By the bytes: a path hashes itself name by name, which a pass over thousands feels.
            by_path: files
                .map(|(index, seen)| (seen.path.as_os_str().as_bytes(), index))
                .collect(),
            known: vec![false; survey.files.len()],
        }
    }

    /// Notes that the catalogue has a file; whether that is all there is to do about it.
    pub(super) fn settles(&mut self, stored: &StoredLook<'_>) -> bool {
        let Some(index) = self.by_path.get(stored.path) else {
            return false;
        };
        self.known[*index] = true;
        stored.present && !stored.copied && self.survey.files[*index].identity == stored.identity
    }

    /// Decides about the `stored` files that aren't settled, and the seen ones that the catalogue doesn't have; those of sessions for
    /// which `is_hidden` holds are not read.
    pub(super) fn decide(self, stored: Vec<Stored>, is_hidden: &dyn Fn(SessionId) -> bool) -> Decisions {
        let mut decisions = Decisions::default();
        let mut absent: Vec<Stored> = Vec::new();
        for stored in stored {
            match self.by_path.get(stored.row.path.as_os_str().as_bytes()) {
                Some(_) if is_hidden(stored.session) => {}
                Some(index) => decisions.compare(stored, &self.survey.files[*index]),
                None => absent.push(stored),
            }
        }
        let seen = self.survey.files.iter().zip(&self.known);
        let mut fresh: Vec<&Seen> = seen.filter(|(_, known)| !**known).map(|(seen, _)| seen).collect();
        fresh.retain(|seen| !is_hidden(seen.session));
        decisions.follow_moves(&mut absent, &mut fresh);
        decisions.jobs.extend(fresh.into_iter().map(|seen| Job {
            seen: seen.clone(),
            stored: None,
            from: Place::Projects,
        }));
        if !absent.is_empty() {
            decisions.part_with(absent, self.survey);
        }
        decisions
            .jobs
            .sort_by_key(|job| std::cmp::Reverse(job.seen.identity.modified));
        decisions
    }
}

impl Decisions {
    fn compare(&mut self, stored: Stored, seen: &Seen) {
        if stored.row.identity == seen.identity && !stored.copied {
            if !stored.row.present {
                self.back.push(stored.number);
            }
            return;
        }
        // A shorter file was cut or replaced; any other may be the same and more.
        let may_go_on = !stored.copied && seen.identity.size >= stored.offset;
        self.jobs.push(Job {
            seen: seen.clone(),
            stored: Some(stored).filter(|_| may_go_on),
            from: Place::Projects,
        });
    }

    /// A file that vanished here and appeared there as the same inode of the same session was renamed.
    fn follow_moves(&mut self, absent: &mut Vec<Stored>, fresh: &mut Vec<&Seen>) {
        let mut by_inode: HashMap<(u64, u64), usize> = HashMap::new();
        for (index, seen) in fresh.iter().enumerate() {
            by_inode.insert((seen.identity.device, seen.identity.inode), index);
        }
        let mut taken = HashSet::new();
        absent.retain(|stored| {
            let identity = &stored.row.identity;
            let found = by_inode.get(&(identity.device, identity.inode)).filter(|index| {
                let seen = fresh[**index];
                (seen.session, seen.role) == (stored.session, stored.row.role) && !stored.copied
            });
            let Some(index) = found.filter(|index| taken.insert(**index)) else {
                return true;
            };
            let seen = fresh[*index];
            self.moved.push((stored.number, seen.path.clone()));
            let mut stored = stored.clone();
            stored.row.path.clone_from(&seen.path);
            self.compare(stored, seen);
            false
        });
        let mut index = 0;
        fresh.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
    }

    fn part_with(&mut self, absent: Vec<Stored>, survey: &Survey) {
        let mut largest: BTreeMap<(SessionId, Option<&std::ffi::OsStr>), u64> = BTreeMap::new();
        let missed: HashSet<SessionId> = absent.iter().map(|stored| stored.session).collect();
        for seen in survey.files.iter().filter(|seen| missed.contains(&seen.session)) {
            let size = largest.entry((seen.session, seen.path.file_name())).or_default();
            *size = (*size).max(seen.identity.size);
        }
        for stored in absent {
            // What was read from another place lies there for as long as nothing here goes on with it.
            let was_looked_for = survey.would_have_seen(stored.session, &stored.row.path);
            if !was_looked_for && !stored.copied {
                continue;
            }
            // What goes on elsewhere holds at least as much; a stub that was left in its place does not.
            let goes_on = largest
                .get(&(stored.session, stored.row.path.file_name()))
                .is_some_and(|size| *size >= stored.offset);
            if goes_on {
                self.dropped.push(stored.number);
            } else if stored.row.present {
                self.gone.push(stored.number);
            }
        }
    }
}
