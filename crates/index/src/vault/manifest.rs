//! What the vault holds of one session: `<vault>/<id>/manifest.json`.
//!
//! The manifest is the truth: a pack that it doesn't name is left over from an interrupted take. It is replaced in one step, so that a
//! copy is the old one or the new one. An unknown field is ignored; what can't be ignored raises the version.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sexton_register::SessionId;
use sexton_sys::{FileIdentity, FileTime, read};

use super::{VaultError, name};

/// The version this program writes, and the newest it reads.
pub const MANIFEST_VERSION: u32 = 1;

/// A manifest is read whole; one of a session of a terabyte would fit.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The content of files is cut into chunks of so many bytes, the last one shorter, so that any part can be read alone.
pub(super) const CHUNK: u64 = 1024 * 1024;

/// A session's copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub(super) version: u32,
    pub(super) session: SessionId,
    /// The config directory the files were copied from, as text.
    pub(super) config_dir: String,
    pub(super) taken_ms: i64,
    /// Whether the last take ended before it had looked at everything, or could not read some of it: files may lack that no entry tells of.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) unfinished: bool,
    pub(super) entries: Vec<Entry>,
    /// Contents that were replaced by others which did not continue them: kept, since the copy may be the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) earlier: Vec<Entry>,
}

/// One file, directory or link of the footprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Relative to the config directory, as text.
    pub(super) path: String,
    pub(super) mode: u32,
    /// Seconds and nanoseconds since the Unix epoch.
    pub(super) modified: (i64, u32),
    /// Whether it had vanished when the rest was copied last: a transcript that moved lies under its new name as well.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) gone: bool,
    pub(super) content: Content,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Content {
    Directory,
    Link {
        /// Where it points, as text.
        target: String,
    },
    File(FileContent),
}

/// The bytes of a file, and the file they were read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileContent {
    /// How long the file was; more than the chunks hold while a take is unfinished.
    pub(super) size: u64,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Each [`CHUNK`] bytes long but the last.
    pub(super) chunks: Vec<Chunk>,
}

/// A piece of a file: one zstd frame in a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// The pack's number.
    pub(super) pack: u64,
    /// Where the frame begins in it, in bytes.
    pub(super) at: u64,
    /// The frame's length in bytes.
    pub(super) stored: u64,
    /// The length of what it holds.
    pub(super) size: u64,
    /// BLAKE3 of what it holds, in hexadecimal.
    pub(super) hash: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The lengths of what `chunks` hold together; a damaged manifest may list impossible ones.
fn total<'c>(chunks: impl IntoIterator<Item = &'c Chunk>) -> u64 {
    chunks.into_iter().fold(0, |sum, chunk| sum.saturating_add(chunk.size))
}

impl FileContent {
    /// How much of the file the chunks hold, in bytes.
    pub(super) fn held(&self) -> u64 {
        total(&self.chunks)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.held() == self.size
    }
}

impl Entry {
    pub(super) fn file(&self) -> Option<&FileContent> {
        match &self.content {
            Content::File(file) => Some(file),
            Content::Directory | Content::Link { .. } => None,
        }
    }

    /// Whether the file that `identity` describes is still the one that was copied, whole.
    pub(super) fn is_current(&self, identity: &FileIdentity) -> bool {
        let stamp = (identity.modified.seconds, identity.modified.nanoseconds);
        self.file().is_some_and(|file| {
            (file.device, file.inode, file.size, self.modified)
                == (identity.device, identity.inode, identity.size, stamp)
                && file.is_complete()
        })
    }

    pub(super) fn modified(&self) -> FileTime {
        FileTime {
            seconds: self.modified.0,
            nanoseconds: self.modified.1,
        }
    }

    /// Its path below the config directory, checked when the manifest was read.
    pub(super) fn name(&self) -> PathBuf {
        name::from_text(&self.path).unwrap_or_default()
    }
}

impl Manifest {
    pub(super) fn new(session: SessionId, config_dir: &Path) -> Self {
        Self {
            version: MANIFEST_VERSION,
            session,
            config_dir: name::to_text(config_dir),
            taken_ms: 0,
            unfinished: false,
            entries: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// The session that was copied.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The config directory its files were copied from.
    #[must_use]
    pub fn config_dir(&self) -> PathBuf {
        name::from_text(&self.config_dir).unwrap_or_default()
    }

    /// When it was last copied, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn taken_ms(&self) -> i64 {
        self.taken_ms
    }

    /// Names, relative to the config directory, of the files that would be given back.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.entries
            .iter()
            .filter(|entry| !entry.gone && entry.file().is_some())
            .map(Entry::name)
    }

    /// Whether every file was copied, and to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let mut files = self.entries.iter().filter_map(Entry::file);
        !self.unfinished && files.all(FileContent::is_complete)
    }

    /// Bytes of the footprint that the copy stands for, uncompressed.
    #[must_use]
    pub fn content_bytes(&self) -> u64 {
        total(self.chunks())
    }

    /// Every chunk that is still of use.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        let entries = self.entries.iter().chain(&self.earlier);
        entries.filter_map(Entry::file).flat_map(|file| &file.chunks)
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The manifest at `path`; `None` if there is none.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, VaultError> {
        match read::read_limited_if_present(path, LARGEST) {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => Self::parse(&bytes, path).map(Some),
            Err(source) => Err(VaultError::io(path)(source)),
        }
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, VaultError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let damaged = |reason: String| VaultError::Damaged {
            path: path.to_path_buf(),
            reason,
        };
        // The version first: what else a newer manifest holds is unknown.
        let versioned: Versioned = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if versioned.version > MANIFEST_VERSION {
            return Err(VaultError::Newer {
                path: path.to_path_buf(),
                found: versioned.version,
                known: MANIFEST_VERSION,
            });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        match manifest.unsound() {
            Some(path) => Err(damaged(format!("`{path}` is no path below a config directory"))),
            None => Ok(manifest),
        }
    }

    /// The first path that leads out of the config directory: by itself, or by way of a link that would be given back as well.
    fn unsound(&self) -> Option<&str> {
        let given_back = || self.entries.iter().filter(|entry| !entry.gone);
        let links = given_back().filter(|entry| matches!(entry.content, Content::Link { .. }));
        let links: BTreeSet<PathBuf> = links.map(Entry::name).collect();
        let leads_outside = |entry: &&Entry| !name::from_text(&entry.path).is_some_and(|path| name::is_inside(&path));
        let is_behind_link = |entry: &&Entry| entry.name().ancestors().skip(1).any(|above| links.contains(above));
        let mut entries = self.entries.iter().chain(&self.earlier);
        let unsound = entries
            .find(leads_outside)
            .or_else(|| given_back().find(is_behind_link));
        unsound.map(|entry| entry.path.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let session = SessionId::from_u128(7);
        let mut manifest = Manifest::new(session, Path::new("/home/a/.claude"));
        manifest.taken_ms = 1_767_258_000_000;
        let file = FileContent {
            size: 5,
            device: 1,
            inode: 2,
            chunks: vec![Chunk {
                pack: 1,
                at: 0,
                stored: 14,
                size: 5,
                hash: "ab".repeat(32),
            }],
        };
        let entry = |path: &str, content| Entry {
            path: path.to_owned(),
            mode: 0o600,
            modified: (1_767_258_000, 5),
            gone: false,
            content,
        };
        manifest.entries = vec![
            entry("projects/-w/x.jsonl", Content::File(file)),
            entry("projects/-w/x", Content::Directory),
            entry(
                "todos/l%FF",
                Content::Link {
                    target: "elsewhere".to_owned(),
                },
            ),
        ];
        manifest
    }

    #[test]
    fn the_bytes_of_version_1() {
        let bytes = String::from_utf8(manifest().to_bytes().unwrap()).unwrap();
        insta::assert_snapshot!(bytes);
        let read = Manifest::parse(bytes.as_bytes(), Path::new("m")).unwrap();
        assert_eq!(read, manifest());
    }

    #[test]
    fn a_newer_version_is_refused_and_a_newer_field_is_not() {
        let text = String::from_utf8(manifest().to_bytes().unwrap()).unwrap();
        let newer = text.replacen("\"version\":1", "\"version\":2,\"entries\":7", 1);
        let error = Manifest::parse(newer.as_bytes(), Path::new("m")).unwrap_err();
        assert!(matches!(error, VaultError::Newer { found: 2, known: 1, .. }), "{error}");
        let field = text.replacen("\"version\":1", "\"version\":1,\"unheard_of\":{}", 1);
        assert_eq!(Manifest::parse(field.as_bytes(), Path::new("m")).unwrap(), manifest());
    }

    #[test]
    fn a_path_that_leads_outside_is_damage() {
        let text = String::from_utf8(manifest().to_bytes().unwrap()).unwrap();
        for path in ["../x", "/etc/passwd", "a/%2e%2e/b", ""] {
            let bad = text.replace("projects/-w/x.jsonl", path);
            let error = Manifest::parse(bad.as_bytes(), Path::new("m")).unwrap_err();
            assert!(matches!(error, VaultError::Damaged { .. }), "{path}: {error}");
        }
    }

    #[test]
    fn a_path_behind_a_listed_link_is_damage() {
        let text = String::from_utf8(manifest().to_bytes().unwrap()).unwrap();
        let bad = text.replace("todos/l%FF", "projects/-w");
        let error = Manifest::parse(bad.as_bytes(), Path::new("m")).unwrap_err();
        assert!(matches!(error, VaultError::Damaged { .. }), "{error}");
    }
}
