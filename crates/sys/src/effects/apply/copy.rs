//! Copying a regular file so that the copy can stand in for it.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use super::super::fault::Steps;
use super::super::{Durability, EffectError};
use super::attributes::timestamps;
use super::replace::{claim, take_attributes, temporary};
use crate::{FileIdentity, read};

pub(in super::super) fn copy(steps: Steps<'_>, from: &Path, to: &Path) -> Result<(), EffectError> {
    steps.before("copy", from)?;
    let (mut source, metadata) = read::open_regular_no_follow(from).map_err(EffectError::io("open", from))?;
    let before = FileIdentity::of(&metadata);
    let mut temporary = temporary(to)?;
    io::copy(&mut source, temporary.as_file_mut()).map_err(EffectError::io("copy", from))?;
    temporary.as_file().sync_data().map_err(EffectError::io("sync", to))?;

    let same = same_content(&mut source, temporary.as_file_mut()).map_err(EffectError::io("compare", from))?;
    let after = source.metadata().map_err(EffectError::io("look at", from))?;
    if !same || FileIdentity::of(&after) != before {
        return Err(EffectError::Changed(from.into()));
    }
    take_attributes(&temporary, &metadata).map_err(EffectError::io("set the mode of", to))?;
    rustix::fs::futimens(temporary.as_file(), &timestamps(before.modified))
        .map_err(EffectError::io("set the time of", to))?;
    claim(steps, temporary, to, Durability::Synced)
}

fn same_content(a: &mut File, b: &mut File) -> io::Result<bool> {
    a.rewind()?;
    b.rewind()?;
    let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let got = a.read(&mut left)?;
        if got == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        match b.read_exact(&mut right[..got]) {
            Ok(()) if left[..got] == right[..got] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}
