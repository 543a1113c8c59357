//! Answers where the catalogue can't be written: from what it knew, else from one in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sexton_index::IndexError;
use sexton_index::catalogue::Catalogue;
use sexton_index::pass;
use sexton_register::SessionId;
use sexton_sys::Effects;

use super::{Indexed, Patience, catalogue_path, incomplete, run_pass};
use crate::context::Context;

/// How large a catalogue in memory may grow, in bytes; that of ten times as many bytes of transcripts fits.
const MEMORY: u32 = 64 << 20;

/// The catalogue as it was left, where `why` keeps it from being written; `why` again, if there is none.
pub(super) fn as_it_is(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    why: IndexError,
) -> Result<Indexed, IndexError> {
    let Ok(Some(mut catalogue)) = Catalogue::open_as_it_is(&catalogue_path(context)) else {
        return Err(why);
    };
    let looked = run_pass(context, archived, Patience::NONE, None, |request| {
        pass::run(&mut catalogue, &Effects::record(), request)
    });
    let Ok(mut report) = looked else { return Err(why) };
    let is_current = report.finished;
    let but = if is_current {
        ""
    } else {
        ", without what was said since"
    };
    let sentence = format!("failed to {why}; the catalogue is used as it was{but}");
    // Nobody needs to ask again: this is all that can be had.
    report.finished = true;
    Ok(Indexed::new(context, catalogue, report).warning(sentence, !is_current))
}

/// A catalogue in memory, filled from the transcripts for this one answer if it is to be `filled`.
pub(super) fn in_memory(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    patience: Patience,
    filled: bool,
    why: &IndexError,
) -> Result<Indexed, IndexError> {
    let patience = if filled { patience } else { Patience::NONE };
    let effects = Effects::record();
    let (catalogue, report, is_full) = run_pass(context, archived, patience, None, |request| {
        let mut catalogue = Catalogue::in_memory(MEMORY)?;
        match pass::run(&mut catalogue, &effects, request) {
            // What fits is in it.
            Err(error) if error.is_of_the_disk() => {
                let mut catalogue = catalogue.sealed();
                let report = pass::run(&mut catalogue, &effects, request)?;
                Ok((catalogue, report, true))
            }
            report => report.map(|report| (catalogue, report, false)),
        }
    })?;
    let is_lacking = filled && (is_full || incomplete(&report).is_some());
    let but = match (filled, is_lacking) {
        (false, _) => "a scan needs none",
        (true, false) => "all transcripts were read for this answer",
        (true, true) => "not all transcripts could be read for this answer, `--substring` looks through all of them",
    };
    let sentence = format!("failed to {why}; {but}");
    Ok(Indexed::new(context, catalogue, report).warning(sentence, is_lacking))
}
