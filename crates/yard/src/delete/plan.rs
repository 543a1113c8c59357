//! Making the plan.

use std::collections::BTreeSet;

use sexton_claude::footprint::footprints;
use sexton_register::SessionId;

use super::layout::gather;
use super::select::{Candidate, Seen, candidates, named, passes};
use super::{DeleteError, DeletePlan, Place, PlanItem, Refused};
use crate::belongings::gate_error;
use crate::filter::DeleteOptions;
use crate::gate::Vouched;
use crate::item::{ItemError, ItemId};
use crate::journal::OperationKind;
use crate::stub::{is_put_away, is_stub};
use crate::survey::Survey;
use crate::tombstones::{Tombstones, load_tombstones, tombstone_path};
use crate::trash::{Belongings, Filling};
use crate::yard::{Yard, YardError};

/// Plans to delete what `options` say; the dry run of `Delete` in the reference implementation. Changes nothing.
///
/// Without a filter this is [`DeleteError::NoFilter`]. A file that can't be read is a problem of its session, not of the plan. An
/// unreadable tombstone file is an error.
pub fn plan_delete(yard: &Yard<'_>, survey: &Survey<'_>, options: &DeleteOptions) -> Result<DeletePlan, DeleteError> {
    if !options.has_filter() {
        return Err(DeleteError::NoFilter);
    }
    let tombstones = load_tombstones(&yard.tombstones).map_err(YardError::from)?;
    let candidates = candidates(survey, options);
    let named = named(options, &candidates)?;
    let is_named = |id: &ItemId| named.as_ref().is_some_and(|named| named.contains(id));
    let vouched = if options.unverified {
        Vouched::by_full_id(options.sessions())
    } else {
        Vouched::nobody()
    };
    let mut refused = Vec::new();
    let mut met = Vec::new();
    for candidate in candidates
        .into_iter()
        .filter(|candidate| named.is_none() || is_named(&candidate.id()))
    {
        let id = candidate.id();
        let verdict = passes(survey, options, &candidate).and_then(|seen| {
            if let (Some(session), Some(_)) = (id.session(), &seen) {
                gate_error(yard.gate, session, vouched.contains(session))?;
            }
            Ok(seen)
        });
        match verdict {
            Ok(None) => {}
            Ok(Some(seen)) => met.push((candidate, seen)),
            Err(error) => refused.push(Refused {
                named: is_named(&id),
                id,
                error,
            }),
        }
    }
    let operation = yard.new_operation()?;
    let mut filling = Filling::new(yard, &operation);
    let sessions: BTreeSet<SessionId> = met
        .iter()
        .filter_map(|(candidate, _)| candidate.id().session().copied())
        .collect();
    let mut found = footprints(survey.config_dirs, survey.projects, sessions);
    let mut planned = Vec::new();
    for (candidate, seen) in met {
        let id = candidate.id();
        match gather(survey, &candidate, &mut found) {
            Ok((mut belongings, place)) => {
                belongings.vouched = id.session().is_some_and(|session| vouched.contains(session));
                let place = stub_or(place, &tombstones, survey, &candidate);
                let item = item(&candidate, seen, &mut belongings, place);
                let kind = match place {
                    Place::Stub => OperationKind::Tidy,
                    _ => OperationKind::Delete,
                };
                planned.push((item, filling.add(&belongings, kind)));
            }
            Err(error) => refused.push(Refused {
                named: is_named(&id),
                id,
                error,
            }),
        }
    }
    planned.sort_by(|(a, _), (b, _)| (&a.paths, &a.id).cmp(&(&b.paths, &b.id)));
    drop(filling);
    let (matched, transfers): (Vec<_>, Vec<_>) = planned.into_iter().unzip();
    Ok(DeletePlan {
        total_bytes: matched.iter().map(|item| item.footprint_bytes).sum(),
        matched,
        refused,
        sessions: survey.sessions(),
        tombstone_path: tombstone_path(&yard.tombstones),
        by_filter: named.is_none(),
        operation,
        transfers,
    })
}

/// What a client left behind under the id of a deleted or archived session is no session: it is put away without a tombstone.
fn stub_or(place: Place, tombstones: &Tombstones, survey: &Survey<'_>, candidate: &Candidate<'_>) -> Place {
    let Candidate::Present {
        id: ItemId::Session(session),
        transcripts,
        ..
    } = candidate
    else {
        return place;
    };
    if is_put_away(survey, tombstones, session) && transcripts.iter().all(|path| is_stub(path)) {
        Place::Stub
    } else {
        place
    }
}

fn item(candidate: &Candidate<'_>, seen: Seen, belongings: &mut Belongings, place: Place) -> PlanItem {
    let paths = match candidate {
        Candidate::Present { transcripts, .. } => transcripts.clone(),
        Candidate::Archived(..) => belongings
            .parts
            .first()
            .map(|part| part.path.clone())
            .into_iter()
            .collect(),
        Candidate::Retained(_) | Candidate::Remnant(..) => Vec::new(),
    };
    let labelled = candidate
        .transcripts()
        .first()
        .or_else(|| belongings.parts.first().map(|part| &part.path));
    let label = labelled.and_then(|path| path.parent()?.file_name());
    let mut facts = seen.facts;
    facts.title = facts.title.or(belongings.facts.title.take());
    facts.directory = facts.directory.or(belongings.facts.directory.take());
    belongings.facts = facts.clone();
    PlanItem {
        id: candidate.id(),
        project: label
            .map(|label| label.to_string_lossy().into_owned())
            .unwrap_or_default(),
        bytes: seen.bytes,
        messages: facts.messages,
        modified: seen.modified,
        footprint_files: belongings.files(),
        footprint_bytes: belongings.bytes(),
        footprint: belongings.parts.iter().map(|part| part.path.clone()).collect(),
        paths,
        facts,
        place,
    }
}

impl Refused {
    /// Whether it is refused because its process lives or may live.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self.error, ItemError::Live(_) | ItemError::NotJudgeable(_))
    }
}
