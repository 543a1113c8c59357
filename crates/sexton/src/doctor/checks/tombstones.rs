//! Whether sessions that were put away have come back.

use sexton_sys::Effects;
use sexton_yard::load_tombstones;
use sexton_yard::stub::{Leftover, leftovers};

use crate::commands::yard::Ground;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::doctor::{Finding, Fix};
use crate::render::path::safe;
use crate::render::visible;

const CHECK: &str = "tombstones";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let tombstones = match load_tombstones(&machine.context.places.tombstones) {
        Ok(tombstones) => tombstones,
        Err(error) => {
            let reason =
                "nothing is searched, deleted or restored until it can be read, since what was deleted could come back";
            return vec![Finding::attention(CHECK, visible(&error.to_string()), reason)];
        }
    };
    // What keeps the ground from being looked at is the other checks' to tell.
    let Ok(ground) = Ground::look(machine.context, Effects::record()) else {
        return Vec::new();
    };
    let along = ground.along();
    leftovers(&ground.survey(&along), &tombstones)
        .iter()
        .map(finding)
        .collect()
}

fn finding(leftover: &Leftover) -> Finding {
    let session = leftover.session;
    let paths: Vec<String> = leftover.paths.iter().map(|path| safe(path)).collect();
    let paths = some_of(&paths);
    if leftover.is_stub {
        let what = format!("a client left a few bookkeeping lines of {session}, which was put away: {paths}");
        let reason = "they hold no conversation, and keep the session from being restored";
        return Finding::note(CHECK, what, reason).fixed_by(Fix::Tidy, "sexton doctor --fix");
    }
    let what = format!("{session} was put away, and there is a transcript of it with messages: {paths}");
    let reason = "someone went on with it, or a backup brought it back; it stays hidden from search as long as its tombstone stands";
    Finding::attention(CHECK, what, reason).mended_by(format!("sexton tombstone lift {session}"))
}
