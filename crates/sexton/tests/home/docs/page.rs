//! The pages of the documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where a page lies, by its path in the repository.
pub(super) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The text of a page.
#[track_caller]
pub(super) fn read(name: &str) -> String {
    crate::support::read(&path(name))
}

/// The pages at the top of the repository and in `docs/`.
pub(super) fn all() -> Vec<String> {
    let in_directory = |directory: &str| {
        let entries = fs::read_dir(path(directory)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let pages = names.filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"));
        pages.map(|name| format!("{directory}{name}")).collect::<Vec<_>>()
    };
    let mut all = [in_directory(""), in_directory("docs/")].concat();
    all.sort();
    all
}

/// Held from reading a page to writing it anew, since tests run at once; nothing where pages are only compared.
#[must_use]
pub(super) fn blessing() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = || ONE.lock().unwrap_or_else(PoisonError::into_inner);
    std::env::var_os("SEXTON_BLESS").map(|_| guard())
}

/// Replaces a page by `text` if the tests run with `SEXTON_BLESS=1`; else says how they differ.
#[track_caller]
pub(super) fn settle(name: &str, text: &str) {
    if std::env::var_os("SEXTON_BLESS").is_some() {
        fs::write(path(name), text).unwrap();
        return;
    }
    let page = read(name);
    let difference = similar::TextDiff::from_lines(page.as_str(), text);
    panic!(
        "the program says something else; `cargo xtask generate` writes it:\n{}",
        difference.unified_diff().header(name, name)
    );
}
