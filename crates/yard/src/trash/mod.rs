//! The trash: where deleted sessions lie until it is emptied.
//!
//! `<root>/<generation>/manifest.jsonl` lists what one delete has put there, `<generation>/tree/…` mirrors the config directory,
//! `<generation>/along/<id>/…` holds what lay elsewhere. The root is `<data>/trash`, or `sexton-trash` in the config directory itself
//! if that is on another device, so that a delete stays a rename. A restore takes things out again; only [`empty`] removes bytes.

mod empty;
mod fill;
mod list;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub use empty::{EmptyPlan, KEEP_MS, Selection, plan_empty, plan_purge};
pub(crate) use fill::{Belongings, Filling, Part, parents};
pub use list::{TrashItem, TrashListing, list_trash};
pub(crate) use list::{remove_empty, tidy_generation};

/// The name of a trash root inside a config directory; Claude Code leaves unknown directories alone.
pub const TRASH_IN_CONFIG_DIR: &str = "sexton-trash";

/// A generation's list of what lies in it.
pub(crate) const MANIFEST: &str = "manifest.jsonl";

/// Generations on their way out; a name that no listing takes for a generation.
pub(crate) const EMPTYING: &str = ".emptying";

/// The roots that may hold something: the data directory's own, and one in each of `bases` (config directories and archives).
#[must_use]
pub fn trash_roots<'a>(data: &Path, bases: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
    let mut roots = vec![data.join("trash")];
    for base in bases {
        let root = base.join(TRASH_IN_CONFIG_DIR);
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// The root for what lies on `device` below `base`.
fn root_for(data: &Path, base: &Path, device: u64) -> PathBuf {
    let own = base.join(TRASH_IN_CONFIG_DIR);
    if device_of(data) != Some(device) && device_of(base) == Some(device) {
        own
    } else {
        data.join("trash")
    }
}

/// The device of `path`, or of what it would be made in.
fn device_of(path: &Path) -> Option<u64> {
    path.ancestors()
        .find_map(|ancestor| ancestor.metadata().ok())
        .map(|metadata| metadata.dev())
}
