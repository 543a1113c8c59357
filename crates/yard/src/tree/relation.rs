//! Which of two trees is the whole one: the question after a copy that was cut short.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sexton_sys::listing::EntryKind;
use sexton_sys::read;

use super::{Tree, TreeEntry, join};

/// How two trees stand to each other by names, file contents and link targets; modes and times don't matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The same.
    Same,
    /// Everything in the first is in the second, which has more.
    FirstInSecond,
    /// Everything in the second is in the first, which has more.
    SecondInFirst,
    /// Each has something that the other has not, or one name has two contents.
    Differ,
}

/// Compares the trees at `first` and `second`; reads file contents.
///
/// Temporary files of a copy that was killed are passed over.
pub(crate) fn relation(first: &Path, second: &Path) -> io::Result<Relation> {
    let (one, two) = (Tree::walk(first)?, Tree::walk(second)?);
    let names = |tree: &Tree| -> BTreeSet<PathBuf> {
        let lasting = tree.entries.iter().filter(|entry| !is_stray(&entry.path));
        lasting.map(|entry| entry.path.clone()).collect()
    };
    let (names_one, names_two) = (names(&one), names(&two));
    let relation = match (names_one.is_subset(&names_two), names_two.is_subset(&names_one)) {
        (true, true) => Relation::Same,
        (true, false) => Relation::FirstInSecond,
        (false, true) => Relation::SecondInFirst,
        (false, false) => return Ok(Relation::Differ),
    };
    let mut twins = two.entries.iter().peekable();
    for entry in &one.entries {
        while twins.next_if(|twin| twin.path < entry.path).is_some() {}
        if let Some(twin) = twins.next_if(|twin| twin.path == entry.path)
            && !same(first, entry, second, twin)?
        {
            return Ok(Relation::Differ);
        }
    }
    Ok(relation)
}

/// Whether `path` is named like a temporary file of [`sexton_sys::Effects`].
pub(super) fn is_stray(path: &Path) -> bool {
    path.file_name().is_some_and(sexton_sys::is_temporary)
}

fn same(first: &Path, entry: &TreeEntry, second: &Path, twin: &TreeEntry) -> io::Result<bool> {
    if entry.kind != twin.kind {
        return Ok(false);
    }
    let (a, b) = (join(first, &entry.path), join(second, &twin.path));
    match entry.kind {
        EntryKind::Directory => Ok(true),
        EntryKind::Symlink => Ok(a.read_link()? == b.read_link()?),
        EntryKind::File if entry.identity.is_same_file(&twin.identity) => Ok(true),
        EntryKind::File => Ok(entry.identity.size == twin.identity.size && same_content(&a, &b)?),
        // Two sockets of one name can't be told apart.
        _ => Ok(false),
    }
}

fn same_content(a: &Path, b: &Path) -> io::Result<bool> {
    let (a, _) = read::open_regular_no_follow(a)?;
    let (b, _) = read::open_regular_no_follow(b)?;
    let (mut a, mut b) = (io::BufReader::new(a), io::BufReader::new(b));
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        (&mut a).take(64 * 1024).read_to_end(&mut left)?;
        (&mut b).take(64 * 1024).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if left.is_empty() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;

    use super::*;

    fn related(one: &[(&str, &str)], two: &[(&str, &str)]) -> Relation {
        let directory = tempfile::tempdir().unwrap();
        let tops = [("one", one), ("two", two)].map(|(name, files)| {
            let top = directory.path().join(name);
            fs::create_dir(&top).unwrap();
            for (file, content) in files {
                let path = top.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            top
        });
        relation(&tops[0], &tops[1]).unwrap()
    }

    #[test]
    fn the_whole_one_is_found() {
        let whole = [("a", "1"), ("b/c", "2")];
        assert_eq!(related(&whole, &whole), Relation::Same);
        assert_eq!(related(&whole[..1], &whole), Relation::FirstInSecond);
        assert_eq!(related(&whole, &whole[1..]), Relation::SecondInFirst);
        assert_eq!(related(&[], &whole), Relation::FirstInSecond);
        assert_eq!(related(&whole[..1], &whole[1..]), Relation::Differ);
        assert_eq!(related(&[("a", "2")], &whole), Relation::Differ);
        assert_eq!(related(&[("b", "2")], &whole), Relation::Differ);
        let stray = [("a", "1"), ("b/c", "2"), ("b/.sexton-x1.tmp", "half")];
        assert_eq!(related(&whole, &stray), Relation::Same);
    }

    #[test]
    fn links_are_compared_by_what_they_hold() {
        let directory = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink("x", &a).unwrap();
        std::os::unix::fs::symlink("x", &b).unwrap();
        std::os::unix::fs::symlink("y", &c).unwrap();
        assert_eq!(relation(&a, &b).unwrap(), Relation::Same);
        assert_eq!(relation(&a, &c).unwrap(), Relation::Differ);
    }
}
