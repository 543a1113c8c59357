//! Sessions with more than one transcript.

use crate::doctor::Finding;
use crate::doctor::finding::some_of;
use crate::doctor::machine::Machine;
use crate::render::path::safe;

const CHECK: &str = "duplicates";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let Ok(sources) = &machine.sources else {
        return Vec::new();
    };
    let groups = sources.projects.transcripts.chunk_by(|a, b| a.session == b.session);
    let several = groups.filter(|group| group.len() > 1);
    several
        .map(|group| {
            let session = group[0].session;
            let paths: Vec<String> = group.iter().map(|file| safe(&file.path)).collect();
            let what = format!("{session} has {} transcripts: {}", group.len(), some_of(&paths));
            let reason = "resuming it may fail or go on in the wrong one; keep the one with the whole conversation and take the other out of `projects/`";
            Finding::attention(CHECK, what, reason).mended_by(format!("sexton show {session}"))
        })
        .collect()
}
