//! Transcripts of subagents, which are part of their parent's session.

use std::io;
use std::path::{Path, PathBuf};

use sexton_sys::listing::{self, EntryKind};

/// Workflows nest their agents two levels deep; no more than this is followed.
const DEEPEST: usize = 8;

/// The transcripts below `<session directory>/subagents`, `agent-*.jsonl`, in order. Links aren't followed.
///
/// Without such a directory there are none.
pub fn subagent_transcripts(session_directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![(session_directory.join("subagents"), DEEPEST)];
    while let Some((directory, depth)) = waiting.pop() {
        for entry in listing::list_if_present(&directory)? {
            let path = directory.join(&entry.name);
            match entry.kind {
                EntryKind::Directory if depth > 0 => waiting.push((path, depth - 1)),
                EntryKind::File if is_agent(&entry.name) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn is_agent(name: &std::ffi::OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.starts_with(b"agent-") && bytes.ends_with(b".jsonl")
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
