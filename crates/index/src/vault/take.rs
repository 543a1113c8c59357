//! Taking a copy: what is new since the last one, chunk by chunk.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sexton_sys::{Effects, FileIdentity, FileTime, read};

use super::manifest::{CHUNK, Content, Entry, FileContent, Manifest};
use super::pack::{self, PackWriter};
use super::{Source, Vault, VaultError, name};

/// Of a file up to this size all copied chunks are compared with the file before it counts as continued; of a larger one the first
/// and the last.
const COMPARED_WHOLE: u64 = 64 * 1024 * 1024;

/// The bounds of a take.
#[derive(Clone, Copy)]
pub struct Take<'t> {
    /// The time, in milliseconds since the Unix epoch.
    pub now_ms: i64,
    /// At most so many bytes may be added to the vault.
    pub room: u64,
    /// Asked between chunks; once it is true the take ends, and the next one goes on from there.
    pub should_stop: &'t (dyn Fn() -> bool + Sync),
}

/// What a take did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes that the vault grew by.
    pub added: u64,
    /// Whether every file that could be read is held to its end.
    pub complete: bool,
    /// Whether it ended for want of room.
    pub out_of_room: bool,
    /// Files that could not be read, or changed while they were, with the reason; tried again next time.
    pub problems: Vec<(PathBuf, String)>,
}

impl Vault {
    /// Brings the copy of a session up to date with its footprint.
    ///
    /// What vanished since is kept. A source without any file changes nothing.
    pub fn take(&self, effects: &Effects, source: &Source, take: Take<'_>) -> Result<Taken, VaultError> {
        let taken = self.take_if(effects, source, take, &|| true)?;
        Ok(taken.unwrap_or_default())
    }

    /// The same, if `is_wanted` says so once the vault is locked: whoever puts a session away with its copy holds that lock.
    pub fn take_if(
        &self,
        effects: &Effects,
        source: &Source,
        take: Take<'_>,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Taken>, VaultError> {
        if effects.is_dry_run() || source.names.is_empty() {
            return Ok(None);
        }
        let _lock = self.lock(effects)?;
        if !is_wanted() {
            return Ok(None);
        }
        let directory = self.session_directory(source.session);
        let held = self.manifest(source.session)?;
        let mut manifest = held
            .clone()
            .unwrap_or_else(|| Manifest::new(source.session, &source.config_dir));
        manifest.config_dir = name::to_text(&source.config_dir);
        effects.create_directory(&directory)?;
        let mut taking = Taking {
            writer: PackWriter::new(effects, &directory)?,
            places: manifest
                .entries
                .iter()
                .enumerate()
                .map(|(at, entry)| (entry.path.clone(), at))
                .collect(),
            take,
            taken: Taken {
                complete: true,
                ..Taken::default()
            },
        };
        let mut present = BTreeSet::new();
        for name in &source.names {
            // What is not looked at any more is not known to have vanished.
            let is_over = taking.is_over();
            taking.taken.complete &= !is_over;
            if is_over || taking.one(&mut manifest, &source.config_dir, name)? {
                present.insert(name::to_text(name));
            }
        }
        if present.is_empty() {
            return Ok(Some(Taken::default()));
        }
        for entry in &mut manifest.entries {
            entry.gone = !present.contains(&entry.path);
        }
        taking.writer.flush()?;
        taking.taken.added = taking.writer.added();
        let taken = taking.taken;
        manifest.unfinished = !taken.complete;
        if held.is_none_or(|held| held != manifest) {
            manifest.taken_ms = take.now_ms;
            self.write(effects, &manifest)?;
        }
        self.tidy(effects, manifest)?;
        Ok(Some(taken))
    }
}

struct Taking<'t> {
    writer: PackWriter<'t>,
    /// Where each path stands in the manifest.
    places: HashMap<String, usize>,
    take: Take<'t>,
    taken: Taken,
}

impl Taking<'_> {
    fn is_over(&mut self) -> bool {
        if self.writer.added() >= self.take.room {
            self.taken.out_of_room = true;
        }
        self.taken.out_of_room || (self.take.should_stop)()
    }

    /// Copies one name; false if it isn't there.
    fn one(&mut self, manifest: &mut Manifest, config_dir: &Path, name: &Path) -> Result<bool, VaultError> {
        let path = config_dir.join(name);
        let metadata = match path.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Ok(self.problem(name, &error)),
        };
        let text = name::to_text(name);
        let at = self.places.get(&text).copied();
        let content = if metadata.is_file() {
            if let Some(held) = at.map(|at| &mut manifest.entries[at])
                && held.is_current(&FileIdentity::of(&metadata))
            {
                held.mode = metadata.mode() & 0o7777;
                return Ok(true);
            }
            return self.file(manifest, at, &path, name);
        } else if metadata.is_dir() {
            Content::Directory
        } else if metadata.is_symlink() {
            match std::fs::read_link(&path) {
                Ok(target) => Content::Link {
                    target: name::to_text(&target),
                },
                Err(error) => return Ok(self.problem(name, &error)),
            }
        } else {
            // A FIFO or socket holds nothing that could be copied.
            return Ok(true);
        };
        keep_past(manifest, at, name);
        put(manifest, at, entry(text, &metadata, content));
        Ok(true)
    }

    /// Copies a regular file, or what was added to it.
    fn file(
        &mut self,
        manifest: &mut Manifest,
        at: Option<usize>,
        path: &Path,
        name: &Path,
    ) -> Result<bool, VaultError> {
        let (mut file, metadata) = match read::open_regular_no_follow(path) {
            Ok(open) => open,
            Err(error) => return Ok(self.problem(name, &error)),
        };
        let identity = FileIdentity::of(&metadata);
        let held = at.and_then(|at| manifest.entries[at].file().cloned());
        let mut content = FileContent {
            size: identity.size,
            device: identity.device,
            inode: identity.inode,
            chunks: Vec::new(),
        };
        let mut is_replaced = false;
        if let Some(held) = held
            && !held.chunks.is_empty()
        {
            match is_continued(&mut file, &held, identity.size) {
                Ok(true) => content.chunks = held.chunks,
                Ok(false) => is_replaced = true,
                Err(error) => return Ok(self.problem(name, &error)),
            }
        }
        match self.read_into(&mut content, &mut file) {
            // What was cut off meanwhile is a shorter file, which the next take sees.
            Ok(()) if file.metadata().map_or(0, |now| now.len()) < identity.size => {
                return Ok(self.problem(name, &io::Error::other("it changed while it was read")));
            }
            Ok(()) => {}
            Err(Stopped::Source(error)) => return Ok(self.problem(name, &error)),
            Err(Stopped::Vault(error)) => return Err(error),
        }
        self.taken.complete &= content.is_complete();
        // Not before it can be replaced: what could not be read is tried again, and there is one past of it.
        if is_replaced {
            keep_past(manifest, at, name);
        }
        put(
            manifest,
            at,
            entry(name::to_text(name), &metadata, Content::File(content)),
        );
        Ok(true)
    }

    /// Adds to `content` what `file` has beyond it.
    fn read_into(&mut self, content: &mut FileContent, file: &mut File) -> Result<(), Stopped> {
        if content.is_complete() {
            return Ok(());
        }
        // A short last chunk is made anew with what follows it, so that all others have one length.
        let mut short = content.chunks.pop_if(|last| last.size < CHUNK);
        let mut left = content.size - content.held();
        file.seek(SeekFrom::Start(content.held())).map_err(Stopped::Source)?;
        let mut buffer = vec![0; usize::try_from(CHUNK.min(left)).unwrap_or(0)];
        while left > 0 && !self.is_over() {
            let length = usize::try_from(CHUNK.min(left)).unwrap_or(0);
            file.read_exact(&mut buffer[..length]).map_err(Stopped::Source)?;
            content
                .chunks
                .push(self.writer.add(&buffer[..length]).map_err(Stopped::Vault)?);
            short = None;
            left -= length as u64;
        }
        content.chunks.extend(short);
        Ok(())
    }

    fn problem(&mut self, name: &Path, error: &io::Error) -> bool {
        self.taken.complete = false;
        self.taken.problems.push((name.to_path_buf(), error.to_string()));
        // It is there, after all.
        true
    }
}

enum Stopped {
    Source(io::Error),
    Vault(VaultError),
}

fn entry(path: String, metadata: &Metadata, content: Content) -> Entry {
    let modified = FileTime::modified(metadata);
    Entry {
        path,
        mode: metadata.mode() & 0o7777,
        modified: (modified.seconds, modified.nanoseconds),
        gone: false,
        content,
    }
}

/// Keeps what is held of a transcript whose place something else takes.
fn keep_past(manifest: &mut Manifest, at: Option<usize>, name: &Path) {
    let held = at
        .map(|at| manifest.entries[at].clone())
        .filter(|_| is_transcript(name));
    let has_content = |entry: &Entry| entry.file().is_some_and(|file| !file.chunks.is_empty());
    manifest.earlier.extend(held.filter(has_content));
}

fn put(manifest: &mut Manifest, at: Option<usize>, entry: Entry) {
    match at {
        Some(at) => manifest.entries[at] = entry,
        None => manifest.entries.push(entry),
    }
}

/// Whether `file`, now `size` bytes long, begins with what is held of it.
fn is_continued(file: &mut File, held: &FileContent, size: u64) -> io::Result<bool> {
    if size < held.held() {
        return Ok(false);
    }
    let last = held.chunks.len() - 1;
    let all = size <= COMPARED_WHOLE || size == held.size;
    let mut buffer = Vec::new();
    for (index, chunk) in held.chunks.iter().enumerate() {
        if !all && index != 0 && index != last {
            continue;
        }
        buffer.resize(usize::try_from(chunk.size).unwrap_or(0), 0);
        file.seek(SeekFrom::Start(index as u64 * CHUNK))?;
        file.read_exact(&mut buffer)?;
        if pack::hash(&buffer) != chunk.hash {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a name is that of a transcript, whose earlier contents are kept.
fn is_transcript(name: &Path) -> bool {
    name.starts_with("projects") && name.extension().is_some_and(|extension| extension == "jsonl")
}
