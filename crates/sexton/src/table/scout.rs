//! Is told by the kernel what changed on disk, and says what that means for the table.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use sexton_register::{SessionId, session_of_file};
use sexton_sys::listing::{EntryKind, list_if_present};
use sexton_sys::watch::{Change, EntryChange, Watch};

use super::message::{Message, spawn};
use crate::context::Context;

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
    pub(super) fn start(messages: Sender<Message>) -> io::Result<Self> {
        let watch = Arc::new(Watch::new()?);
        let waiting = Arc::clone(&watch);
        spawn(messages, move |messages| {
            loop {
                let message = match waiting.wait() {
                    Ok(changes) => Message::Hint(Hint::of(&changes)),
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
            watch(&directory.path.join("sessions"));
            let projects = directory.path.join("projects");
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
    fn of(changes: &[Change]) -> Self {
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
            let is_transcript = directory
                .parent()
                .and_then(Path::file_name)
                .is_some_and(|name| name == "projects");
            if !is_transcript {
                hint.look = true;
                continue;
            }
            // What else lies in a project, such as its memory, changes nothing here.
            if let Some(session) = session_of_file(&directory.join(name)) {
                match change {
                    EntryChange::Written => drop(hint.grown.insert(session)),
                    EntryChange::Appeared | EntryChange::Vanished => hint.look = true,
                }
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
        let hint = Hint::of(&[
            change("/h/.claude/projects/-p", file, EntryChange::Written),
            change("/h/.claude/projects/-p", "memory", EntryChange::Written),
        ]);
        assert_eq!((hint.look, hint.grown), (false, [session].into()));
        for change in [
            change("/h/.claude/projects/-p", file, EntryChange::Appeared),
            change("/h/.claude/projects", "-q", EntryChange::Appeared),
            change("/h/.claude/sessions", "12.json", EntryChange::Written),
            Change::Gone("/h/.claude/sessions".into()),
            Change::Unknown,
        ] {
            assert!(Hint::of(&[change]).look);
        }
    }
}
