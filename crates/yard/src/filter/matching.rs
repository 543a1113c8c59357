//! Whether one session is meant.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Fewer characters than these never stand for a longer id.
const SHORTEST_PREFIX: usize = 8;

/// Whether the session `stem` is addressed by `id`; `MatchesSessionID` in the reference implementation.
///
/// Equality always; a prefix only from 8 characters up, so that three typed letters can't fan out to many sessions. Characters are
/// counted, not bytes.
#[must_use]
pub fn matches_session_id(stem: &str, id: &str) -> bool {
    stem == id || (stem.starts_with(id) && id.chars().count() >= SHORTEST_PREFIX)
}

/// Whether the transcript directory `slug`, a name below `projects_root`, contains `text`, case-sensitively.
///
/// A `text` that begins with the root is taken from there on, and the root alone matches nothing: neither `projects` nor `/`, which every
/// transcript's path contains, may match every session.
#[must_use]
pub fn matches_project(projects_root: &Path, slug: &std::ffi::OsStr, text: &str) -> bool {
    let below = Path::new(text)
        .strip_prefix(projects_root)
        .map_or(text.as_bytes(), |rest| rest.as_os_str().as_bytes());
    !below.is_empty() && memchr::memmem::find(slug.as_bytes(), below).is_some()
}

/// Whether `path` is `directory` or lies below it, by whole components.
#[must_use]
pub fn is_at_or_below(path: &Path, directory: &Path) -> bool {
    path.starts_with(directory)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn ids_match_whole_or_from_eight_characters_up() {
        let stem = "01234567-89ab-cdef-0123-456789abcdef";
        for (id, matches) in [
            (stem, true),
            ("01234567", true),
            ("01234567-89ab", true),
            ("0123456", false),
            ("", false),
            ("01234567_", false),
            ("1234567-89ab", false),
        ] {
            assert_eq!(matches_session_id(stem, id), matches, "{id}");
        }
        assert!(matches_session_id("abc", "abc"), "a short stem has a short name");
        assert!(
            !matches_session_id("ééééé-and-more", "ééééé"),
            "ten bytes are five characters"
        );
    }

    #[test]
    fn a_project_is_matched_below_the_root_only() {
        let root = Path::new("/home/a/.claude/projects");
        let slug = OsStr::new("-home-a-work-site");
        for (text, matches) in [
            ("site", true),
            ("-home-a-work-site", true),
            ("Site", false),
            ("projects", false),
            ("/", false),
            ("", false),
            ("/home/a/.claude/projects", false),
            ("/home/a/.claude/projects/", false),
            ("/home/a/.claude/projects/-home-a-work", true),
            ("/home/a/.claude/projects/-home-a-work-site/", true),
            ("/home/a/.claude/projects/-home-b", false),
        ] {
            assert_eq!(matches_project(root, slug, text), matches, "{text}");
        }
    }

    #[test]
    fn directories_contain_by_components() {
        assert!(is_at_or_below(Path::new("/work/site/a"), Path::new("/work/site/")));
        assert!(is_at_or_below(Path::new("/work/site"), Path::new("/work/site")));
        assert!(!is_at_or_below(Path::new("/work/site-2"), Path::new("/work/site")));
    }
}
