//! The completions and manual pages that are checked in.

use std::fs;
use std::path::Path;

use sexton::shell::files::{DIRECTORIES, File, generated};

use crate::support::read;

#[test]
fn what_is_checked_in_is_what_the_program_makes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_blessing = std::env::var_os("SEXTON_BLESS").is_some();
    let files = generated().unwrap();
    for File { path, text } in &files {
        let file = root.join(path);
        if file.exists() && read(&file) == *text {
            continue;
        }
        assert!(is_blessing, "{}: `cargo xtask generate` makes it anew", path.display());
        fs::write(&file, text).unwrap();
    }
    for directory in DIRECTORIES {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = Path::new(directory).join(entry.unwrap().file_name());
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            if is_page || files.iter().any(|file| file.path == path) {
                continue;
            }
            assert!(
                is_blessing,
                "{} is of no command; `cargo xtask generate` removes it",
                path.display()
            );
            fs::remove_file(root.join(path)).unwrap();
        }
    }
}
