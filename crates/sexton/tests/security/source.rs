//! What the sources themselves must not hold.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_code_is_in_sys_alone_and_says_why() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    sources(&root.join("crates"), &mut found);
    sources(&root.join("xtask"), &mut found);
    assert!(found.len() > 100, "hardly any sources");
    // In two pieces, so that this file doesn't meet itself.
    let mut openings = ["{", "fn", "impl", "extern"]
        .map(|what| format!("{} {what}", concat!("un", "safe")))
        .to_vec();
    openings.push(concat!("#[un", "safe(").to_owned());
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if openings.iter().any(|opening| line.contains(opening)) {
                let place = format!("{}:{}", path.display(), number + 1);
                assert!(path.starts_with(root.join("crates/sys")), "{place}");
                let above = text.lines().take(number).collect::<Vec<_>>();
                let explained = above.iter().rev().take(4).any(|line| line.contains("SAFETY:"));
                assert!(explained, "{place}: without a reason");
            }
        }
    }
}
