//! What is known of sessions when a plan is made.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sexton_register::SessionId;
use sexton_yard::facts::{Facts, FileFacts, SessionFacts};

/// What the transcripts tell, but for what a person said of a session: that counts more.
#[derive(Debug)]
pub(super) struct KnownFacts {
    /// The verdicts of `sexton routine`.
    pub(super) routine: BTreeMap<SessionId, bool>,
}

impl Facts for KnownFacts {
    fn facts(&self, session: Option<&SessionId>, transcript: &Path) -> io::Result<SessionFacts> {
        let verdict = session.and_then(|session| self.routine.get(session).copied());
        Ok(SessionFacts {
            routine: verdict,
            ..FileFacts.facts(session, transcript)?
        })
    }

    fn routine(&self, transcript: &Path) -> io::Result<bool> {
        let stem = transcript.file_stem().and_then(|stem| stem.to_str());
        let session = stem.and_then(|stem| SessionId::parse(stem).ok());
        match session.and_then(|session| self.routine.get(&session)) {
            Some(verdict) => Ok(*verdict),
            None => FileFacts.routine(transcript),
        }
    }
}
