//! What can be shown at once.

use std::path::Path;

use sexton_claude::projects::ProjectsListing;
use sexton_claude::registry::by_session;
use sexton_index::catalogue::Catalogue;
use sexton_index::facts::Facts as KeptFacts;
use sexton_register::{Loaded, MAX_KEPT_BYTES, Presence, SessionLifecycle, derive_state, recall_all, session_file};
use sexton_sys::read;
use sexton_yard::load_tombstones;

use super::gather::archived;
use super::{Group, Roll, Sources, observe};
use crate::context::Context;
use crate::indexing::catalogue_path;

impl Roll {
    /// The sessions that run or were left loose, as they were known when they were looked at last; only the processes are looked at now.
    ///
    /// No file of the register and no transcript is opened, and hardly one looked at, which takes as long as there are many of them. So this is only to
    /// be shown while that is being done: what was begun, ended or marked since the last look is wrong or missing. Nothing is known at all,
    /// and there are no rows, on a machine that was never looked at.
    #[must_use]
    pub fn at_a_glance(context: &Context) -> Self {
        let now_ms = context.now_ms();
        let kept = read::read_limited(&context.places.kept_summaries, MAX_KEPT_BYTES).unwrap_or_default();
        let mut known = recall_all(kept);
        if !are_of(&known, &context.places.register) {
            known.clear();
        }
        let observation = observe(&context.config_dirs, &known);
        let running = by_session(&observation.observed);
        let is_open = |state| Group::of(state) != Group::Finished;
        let sessions = known.into_iter().filter(|lifecycle| {
            running.contains_key(&lifecycle.session) || is_open(derive_state(Some(lifecycle), Presence::Absent, now_ms))
        });
        let sessions = sessions
            .map(|lifecycle| (lifecycle.session, Box::new(lifecycle)))
            .collect();
        let tombstones = load_tombstones(&context.places.tombstones).unwrap_or_default();
        let sources = Sources {
            register: Loaded {
                sessions,
                ..Loaded::default()
            },
            keep: None,
            observation,
            projects: ProjectsListing::default(),
            archived: archived(context, &mut Vec::new()),
            deleted: tombstones.iter().filter_map(|id| id.parse().ok()).collect(),
            problems: Vec::new(),
        };
        let mut roll = Self::join(sources, context);
        roll.rows
            .retain(|row| row.state.is_live() || (row.disposal.is_none() && is_open(row.state)));
        roll.recollect(context);
        roll
    }

    /// Takes over what the catalogue has, believing that nothing has changed since.
    fn recollect(&mut self, context: &Context) {
        let Ok(Some(catalogue)) = Catalogue::open_as_it_is(&catalogue_path(context)) else {
            return;
        };
        let Ok(_snapshot) = catalogue.snapshot() else { return };
        for row in &mut self.rows {
            if let Ok(Some(known)) = catalogue.session(row.session) {
                row.take(&known, &KeptFacts::default(), |_| None);
                let there = known.transcripts.into_iter().filter(|file| file.present);
                row.transcripts = there.map(|file| file.path).collect();
            }
        }
    }
}

/// Whether what is kept is of this register, as far as a few looks tell, and not of another that was named the last time.
fn are_of(known: &[SessionLifecycle], register: &Path) -> bool {
    const LOOKS: usize = 8;
    let mut files = known
        .iter()
        .take(LOOKS)
        .map(|known| session_file(register, known.session));
    files.any(|file| file.is_file())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use std::fs;

    use sexton_register::State;
    use sexton_sys::{Effects, Environment, FixedClock};
    use sexton_testkit::register::{ended, named, started, write};
    use sexton_testkit::{LiveProcess, NOW_MS, RegistryRecord, Transcript, session_id};

    use super::*;
    use crate::indexing::{Patience, bring_up_to_date};
    use crate::roll::{gather, look, record};

    /// The year 2100: what is written now was left alone for long by then, so that it is kept.
    const LATER_MS: i64 = 4_102_444_800_000;

    fn context(home: &Path) -> Context {
        let environment = Environment::from_variables([("HOME", home)]);
        let mut context = Context::for_completion(environment).unwrap();
        context.clock = Box::new(FixedClock::at_ms(LATER_MS));
        context
    }

    /// What a row of the table shows.
    fn shown(rows: &[crate::roll::Row]) -> Vec<(String, State, Option<String>, Option<String>)> {
        let rows = rows.iter().filter(|row| Group::of(row.state) != Group::Finished);
        rows.map(|row| {
            let title = row.title().map(str::to_owned);
            (row.session.to_string(), row.state, row.label(), title)
        })
        .collect()
    }

    #[test]
    fn what_was_known_is_shown_with_what_runs_now() {
        let home = tempfile::tempdir().unwrap();
        let config = home.path().join(".claude");
        fs::create_dir_all(&config).unwrap();
        let context = context(home.path());
        let long_ago = NOW_MS;
        for number in 1..=40 {
            let id = session_id(number);
            let mut events = vec![
                started(&id, long_ago),
                named(&id, long_ago + 1, &format!("name-{number}")),
            ];
            if number > 10 {
                events.push(ended(&id, long_ago + 2, "exited"));
            }
            write(&context.places.register, &id, &events);
            Transcript::new(&id)
                .conversation("mend the parser", "mended")
                .write(&config);
        }
        assert!(Roll::at_a_glance(&context).rows.is_empty(), "nothing is known yet");

        let process = LiveProcess::start();
        RegistryRecord::of(&process, &session_id(11)).write(&config);
        let mut sources = look(&context).unwrap();
        record(&context, &mut sources, &Effects::apply());
        bring_up_to_date(&context, &std::collections::BTreeMap::new(), Patience::SEARCH).unwrap();
        let mut all = gather(&context).unwrap();
        all.read_transcripts();
        let glance = Roll::at_a_glance(&context);
        let expected = shown(&all.rows);
        assert_eq!(expected.len(), 11, "ten that never ended, and one that runs again");
        assert_eq!(shown(&glance.rows), expected);
        assert!(glance.rows.iter().all(|row| row.transcripts.len() == 1));

        // What the files of the register and the projects say by now is not asked; the processes are looked at.
        for number in 1..=40 {
            write(&context.places.register, &session_id(number), &[]);
        }
        fs::remove_dir_all(config.join("projects")).unwrap();
        process.kill();
        let glance = Roll::at_a_glance(&context);
        assert_eq!(shown(&glance.rows)[..10], expected[..10]);
        assert!(!glance.rows.iter().any(|row| row.state.is_live()));

        // Of another register nothing is kept.
        fs::rename(&context.places.register, home.path().join("elsewhere")).unwrap();
        let glance = Roll::at_a_glance(&context);
        assert!(
            glance.rows.iter().all(|row| row.lifecycle.is_none()),
            "only the registry tells"
        );
    }
}
