//! The checks, one file each.

mod archive;
mod catalogue;
mod client;
mod clock;
mod configuration;
mod duplicates;
mod hooks;
mod journal;
mod leftovers;
mod modes;
mod register;
mod registry;
mod space;
mod sweep;
mod tombstones;

use super::Finding;
use super::machine::Machine;

/// A check.
pub(super) type Check = fn(&Machine<'_>) -> Vec<Finding>;

/// All of them, in the order in which findings of one weight are told.
pub(super) const ALL: [Check; 15] = [
    configuration::check,
    register::check,
    journal::check,
    tombstones::check,
    sweep::check,
    hooks::check,
    registry::check,
    duplicates::check,
    archive::check,
    leftovers::check,
    catalogue::check,
    clock::check,
    modes::check,
    space::check,
    client::check,
];
