//! Transcripts of subagents, which are part of their parent's session.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sexton_sys::listing::{EntryKind, Look, OpenDirectory};

/// Workflows nest their agents two levels deep; no more than this is followed.
const DEEPEST: usize = 8;

/// A subagent's transcript, and what a look at it showed.
#[derive(Debug)]
pub struct SubagentTranscript {
    /// Where it lies.
    pub path: PathBuf,
    /// What it looked like when its directory was listed.
    pub look: io::Result<Look>,
}

/// The transcripts below `<session directory>/subagents`, `agent-*.jsonl`, in order. Links aren't followed.
///
/// Without such a directory there are none.
pub fn subagent_transcripts(session_directory: &Path) -> io::Result<Vec<PathBuf>> {
    let found = find(session_directory, |_, _| ())?;
    Ok(found.into_iter().map(|(path, ())| path).collect())
}

/// As [`subagent_transcripts`], with a look at each.
pub fn look_at_subagents(session_directory: &Path) -> io::Result<Vec<SubagentTranscript>> {
    let found = find(session_directory, OpenDirectory::look)?;
    let found = found.into_iter();
    Ok(found.map(|(path, look)| SubagentTranscript { path, look }).collect())
}

/// The transcripts in order, each with what `look` says of it while its directory is open.
fn find<T>(session_directory: &Path, look: impl Fn(&OpenDirectory, &CStr) -> T) -> io::Result<Vec<(PathBuf, T)>> {
    let mut found = Vec::new();
    let mut waiting = vec![(session_directory.join("subagents"), DEEPEST)];
    while let Some((directory, depth)) = waiting.pop() {
        let open = match OpenDirectory::open(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        open.each(|name, kind| {
            let path = || directory.join(OsStr::from_bytes(name.to_bytes()));
            match kind {
                EntryKind::Directory if depth > 0 => waiting.push((path(), depth - 1)),
                EntryKind::File if is_agent(name.to_bytes()) => found.push((path(), look(&open, name))),
                _ => {}
            }
        })?;
    }
    // By their bytes: to compare paths name by name takes longer, and any order will do that is always the same.
    found.sort_unstable_by(|(one, _), (other, _)| one.as_os_str().cmp(other.as_os_str()));
    Ok(found)
}

fn is_agent(name: &[u8]) -> bool {
    name.starts_with(b"agent-") && name.ends_with(b".jsonl")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    #[test]
    fn agents_at_every_level_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        assert!(subagent_transcripts(home.path()).unwrap().is_empty());
        let nested = home.path().join("subagents/workflows/wf_1");
        std::fs::create_dir_all(&nested).unwrap();
        let expected = [
            home.path().join("subagents/agent-2.jsonl"),
            nested.join("agent-1.jsonl"),
        ];
        for path in expected
            .iter()
            .chain([&nested.join("agent-1.meta.json"), &nested.join("journal.jsonl")])
        {
            std::fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink(&nested, home.path().join("subagents/agent-link.jsonl")).unwrap();
        assert_eq!(subagent_transcripts(home.path()).unwrap(), expected);
    }
}
