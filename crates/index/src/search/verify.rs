//! Looking at the texts for what tokens can't tell.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use sexton_register::SessionId;

use super::candidates::{Candidate, read_part};
use crate::message::Kind;
use crate::query::{Verification, Verifying};
use crate::texts::Texts;

/// A message to be looked at, without what must stay in this thread.
struct Look {
    index: usize,
    offset: u64,
    part: u32,
    kind: Kind,
}

/// The candidates whose texts fulfil the conditions. One whose text can't be had any more can't be verified, and is left out.
pub(super) fn verify(texts: Texts<'_>, verification: &Verification, candidates: Vec<Candidate>) -> Vec<Candidate> {
    if verification.is_empty() {
        return candidates;
    }
    let mut by_file: BTreeMap<(SessionId, PathBuf), Vec<Look>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        by_file
            .entry((candidate.session.id, candidate.file.path.clone()))
            .or_default()
            .push(Look {
                index,
                offset: candidate.offset,
                part: candidate.part,
                kind: candidate.kind,
            });
    }
    let files: Vec<_> = by_file.into_iter().collect();
    let mut held: Vec<usize> = files
        .par_iter()
        .flat_map_iter(|((session, path), looks)| {
            let mut open = texts.open(*session, path);
            looks.iter().filter_map(move |look| {
                let mut verifying = Verifying::new(verification);
                read_part(open.as_mut()?, look.offset, look.part, look.kind, &mut |text| {
                    verifying.see(text);
                })
                .ok()?;
                verifying.holds().then_some(look.index)
            })
        })
        .collect();
    held.sort_unstable();
    let mut held = held.into_iter().peekable();
    let mut index = 0;
    candidates
        .into_iter()
        .filter(|_| {
            let is_held = held.next_if_eq(&index).is_some();
            index += 1;
            is_held
        })
        .collect()
}
