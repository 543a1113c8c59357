//! Completions and manual pages, as they are checked in.

use std::fs;

use sexton::shell::files::{DIRECTORIES, generated};

use crate::Result;
use crate::binary::root;

/// Writes them all, and removes those of commands that are gone.
pub(crate) fn run() -> Result<()> {
    let files = generated().map_err(|error| error.to_string())?;
    for directory in DIRECTORIES {
        let directory = root().join(directory);
        fs::create_dir_all(&directory)?;
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            let is_made = files.iter().any(|file| root().join(&file.path) == path);
            if !is_page && !is_made {
                fs::remove_file(&path)?;
                println!("removed {}", path.display());
            }
        }
    }
    for file in files {
        let path = root().join(file.path);
        if fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        fs::write(&path, file.text)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
