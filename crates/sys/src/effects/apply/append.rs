//! Appending lines in one write.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::super::fault::Steps;
use super::super::{Durability, EffectError};
use super::sync_parent;
use crate::read;

/// What a symlink in place of the file means.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Links {
    /// Someone keeps the file elsewhere.
    Followed,
    /// Someone else's trick: the file is ours alone.
    Refused,
}

pub(in super::super) fn append(
    steps: Steps<'_>,
    path: &Path,
    bytes: &[u8],
    durability: Durability,
    links: Links,
) -> Result<(), EffectError> {
    if bytes.is_empty() {
        return Ok(());
    }
    steps.before("open", path)?;
    let (mut file, is_new) = open(path, links).map_err(EffectError::io("open", path))?;
    let metadata = file.metadata().map_err(EffectError::io("look at", path))?;
    read::regular(&metadata).map_err(EffectError::io("append to", path))?;

    let led;
    let bytes = if ends_torn(&mut file).map_err(EffectError::io("read the end of", path))? {
        led = [b"\n", bytes].concat();
        &led
    } else {
        bytes
    };
    let allowed = steps.before_write("append to", path, bytes.len())?;
    let written = write_once(&file, &bytes[..allowed]).map_err(EffectError::io("append to", path))?;
    if written < bytes.len() {
        return Err(EffectError::ShortWrite {
            path: path.into(),
            written,
            expected: bytes.len(),
        });
    }
    if durability == Durability::Synced {
        steps.before("sync", path)?;
        file.sync_data().map_err(EffectError::io("sync", path))?;
        if is_new {
            sync_parent(steps, path)?;
        }
    }
    Ok(())
}

/// Opens for reading and appending, making the file if it is absent; tells whether it was.
fn open(path: &Path, links: Links) -> Result<(File, bool), Errno> {
    let own = match links {
        Links::Followed => OFlags::empty(),
        Links::Refused => OFlags::NOFOLLOW,
    };
    // Without blocking: a FIFO under this name must not hang a hook.
    let flags = own | OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok((file.into(), false)),
        // Not exclusively: if another process makes it first, both append to the same file.
        Err(Errno::NOENT) => {
            rustix::fs::open(path, flags | OFlags::CREATE, Mode::RUSR | Mode::WUSR).map(|file| (file.into(), true))
        }
        Err(errno) => Err(errno),
    }
}

/// Whether the file ends in a line that nobody is going to finish.
fn ends_torn(file: &mut File) -> std::io::Result<bool> {
    // A write of another process can become visible page by page. An empty write waits behind it for the file's lock, so that its line
    // is whole by the next look, unless that one meets the next writer. On a file system without such a lock the worst is a blank line.
    for _ in 0..4 {
        if !ends_mid_line(file)? {
            return Ok(false);
        }
        write_once(file, b"")?;
    }
    ends_mid_line(file)
}

fn ends_mid_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    // Nothing to read means that someone truncated the file between the two calls.
    Ok(file.read(&mut last)? == 1 && last != *b"\n")
}

/// One `write(2)`: the kernel puts it at the end as a whole, between the writes of other processes.
fn write_once(file: &File, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match rustix::io::write(file, bytes) {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}
