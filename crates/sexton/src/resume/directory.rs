//! In which directory a session goes on.

use std::path::{Path, PathBuf};

use super::ResumeError;
use crate::roll::Row;

/// Longer names of project directories end in a hash that differed between versions.
const COMPARED: usize = 200;

/// The directory in which the session's client was started, else the one in which it worked last.
///
/// Records tell where its shell was, which may be below the project; the transcript lies in a directory whose name is made of the project's
/// path. That name can't be read back, but it can be compared.
pub(super) fn of(row: &Row) -> Result<PathBuf, ResumeError> {
    let known = known(row);
    let Some(last) = known.first() else {
        return Err(ResumeError::NoDirectory);
    };
    let slug = row
        .transcripts
        .first()
        .and_then(|transcript| transcript.parent()?.file_name()?.to_str());
    let project = slug.and_then(|slug| {
        let mut candidates = known.iter().flat_map(|directory| directory.ancestors());
        candidates.find(|candidate| is_named(slug, candidate))
    });
    let directory = project.unwrap_or(last);
    if directory.is_dir() {
        return Ok(directory.to_path_buf());
    }
    let others = known.iter().filter(|known| known.is_dir()).cloned().collect();
    let directory = directory.to_path_buf();
    Err(ResumeError::DirectoryGone { directory, others })
}

/// Every directory that is known to have to do with the session, each once, the best first.
fn known(row: &Row) -> Vec<PathBuf> {
    let recorded = row.lifecycle.as_ref().and_then(|lifecycle| lifecycle.directory());
    let all = [row.directory(), recorded.map(|directory| Path::new(directory.as_str()))];
    let mut known = Vec::new();
    for directory in all.into_iter().flatten().filter(|directory| directory.is_absolute()) {
        if !known.iter().any(|known| known == directory) {
            known.push(directory.to_path_buf());
        }
    }
    known
}

/// Whether a project directory of this name could be that of `directory`: every UTF-16 unit outside `[A-Za-z0-9]` becomes `-`.
fn is_named(slug: &str, directory: &Path) -> bool {
    let Some(directory) = directory.to_str() else {
        return false;
    };
    let units = directory.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    });
    let name: String = units.take(COMPARED).collect();
    if slug.len() > COMPARED {
        slug.starts_with(&name) && name.len() == COMPARED
    } else {
        slug == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_and_never_read_back() {
        assert!(is_named("-home-a-my-project", Path::new("/home/a/my.project")));
        assert!(!is_named("-home-a-my-project", Path::new("/home/a/my.project/sub")));
        assert!(is_named("----", Path::new("/é🌲")));
        let long = format!("/{}", "x".repeat(300));
        assert!(is_named(&format!("-{}-abc123", "x".repeat(199)), Path::new(&long)));
        assert!(!is_named(&format!("-{}-abc123", "x".repeat(199)), Path::new("/xxx")));
    }
}
