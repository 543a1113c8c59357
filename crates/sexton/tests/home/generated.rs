//! The completions and manual pages that are checked in.

use std::fs;
use std::path::Path;

use sexton::shell::files::{DIRECTORIES, generated};

use crate::support::read;

#[test]
fn what_is_checked_in_is_what_the_program_makes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = generated().unwrap();
    for file in &files {
        let path = root.join(&file.path);
        assert!(
            path.exists() && read(&path) == file.text,
            "{}: `cargo xtask generate` makes it anew",
            file.path.display()
        );
    }
    for directory in DIRECTORIES {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = Path::new(directory).join(entry.unwrap().file_name());
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            assert!(
                is_page || files.iter().any(|file| file.path == path),
                "{} belongs to no command; `cargo xtask generate` removes it",
                path.display()
            );
        }
    }
}
