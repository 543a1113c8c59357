//! Is told by the kernel what changed on disk, and says what that means for the table.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use sexton_register::{SessionId, session_of_file};
use sexton_sys::listing::{EntryKind, list_if_present};
use sexton_sys::watch::{Change, EntryChange, Watch};

use super::message::{Message, spawn};
use crate::context::Context;

const SESSIONS: &str = "sessions";
const PROJECTS: &str = "projects";

/// What changed files mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hint {
    /// Sessions may have come, gone or changed their state.
    pub(super) look: bool,
    /// The transcripts of these grew.
    pub(super) grown: BTreeSet<SessionId>,
}

/// Watches directories.
#[derive(Debug)]
pub(super) struct Scout(Arc<Watch>);

impl Scout {
    /// Starts to watch; fails where the system tells nothing.
    pub(super) fn start(context: &Context, messages: Sender<Message>) -> io::Result<Self> {
        let watch = Arc::new(Watch::new()?);
        let waiting = Arc::clone(&watch);
        let config_dirs: Vec<PathBuf> = context
            .config_dirs
            .into_iter()
            .map(|directory| directory.path.clone())
            .collect();
        spawn(messages, move |messages| {
            loop {
                let message = match waiting.wait() {
                    Ok(changes) => Message::Hint(Hint::of(&changes, &config_dirs)),
                    Err(_) => Message::WatchEnded,
                };
                let is_over = matches!(message, Message::WatchEnded);
                if messages.send(message).is_err() || is_over {
                    return;
                }
            }
        });
        Ok(Self(watch))
    }

    /// Watches everything that the table is made of, as far as it is there by now.
    ///
    /// What can't be watched, since it is absent or there are too many, is found by looking from time to time.
    pub(super) fn watch(&self, context: &Context) {
        let watch = |directory: &Path| {
            let _ = self.0.add(directory);
        };
        watch(&context.places.register);
        watch(&context.places.tombstones);
        for directory in &context.config_dirs {
            watch(&directory.path);
            watch(&directory.path.join(SESSIONS));
            let projects = directory.path.join(PROJECTS);
            watch(&projects);
            for project in list_if_present(&projects).unwrap_or_default() {
                if project.kind != EntryKind::File {
                    watch(&projects.join(project.name));
                }
            }
        }
    }
}

impl Hint {
    fn of(changes: &[Change], config_dirs: &[PathBuf]) -> Self {
        let mut hint = Self::default();
        for change in changes {
            let Change::Entry {
                directory,
                name,
                change,
            } = change
            else {
                hint.look = true;
                continue;
            };
            if config_dirs.contains(directory) {
                // The client writes other files there all day.
                hint.look |= name == SESSIONS || name == PROJECTS;
            } else if directory.parent().is_some_and(|parent| parent.ends_with(PROJECTS)) {
                // What else lies in a project, such as its memory, changes nothing here.
                match (session_of_file(&directory.join(name)), change) {
                    (Some(session), EntryChange::Written) => drop(hint.grown.insert(session)),
                    (Some(_), EntryChange::Appeared | EntryChange::Vanished) => hint.look = true,
                    (None, _) => {}
                }
            } else {
                hint.look = true;
            }
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(directory: &str, name: &str, change: EntryChange) -> Change {
        Change::Entry {
            directory: directory.into(),
            name: name.into(),
            change,
        }
    }

    #[test]
    fn a_growing_transcript_is_read_and_all_else_is_looked_at() {
        let file = "11111111-0000-4000-8000-000000000000.jsonl";
        let session = SessionId::parse(&file[..36]).unwrap();
        let config_dirs = [PathBuf::from("/h/.claude")];
        let quiet = [
            change("/h/.claude/projects/-p", file, EntryChange::Written),
            change("/h/.claude/projects/-p", "memory", EntryChange::Written),
            change("/h/.claude", "history.jsonl", EntryChange::Written),
        ];
        let hint = Hint::of(&quiet, &config_dirs);
        assert_eq!((hint.look, hint.grown), (false, [session].into()));
        for change in [
            change("/h/.claude/projects/-p", file, EntryChange::Appeared),
            change("/h/.claude/projects", "-q", EntryChange::Appeared),
            change("/h/.claude", "sessions", EntryChange::Appeared),
            change("/h/register", file, EntryChange::Written),
            change("/h/.claude/sessions", "12.json", EntryChange::Written),
            Change::Gone("/h/.claude/sessions".into()),
            Change::Unknown,
        ] {
            assert!(Hint::of(&[change], &config_dirs).look);
        }
    }
}
