//! Whatever happens to the files, passes in between make no difference to what is known in the end.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

mod support;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use sexton_index::catalogue::CatalogueSession;
use support::{Machine, Place, answer, id, prompt, title, tool_call, touch};

const WORDS: [&str; 8] = [
    "alpha",
    "bravo_charlie",
    "getUserById",
    "src/main.rs",
    "検索",
    "delta",
    "echo",
    "fox",
];

#[derive(Debug, Clone)]
enum Step {
    /// Adds lines at the end; the last may be torn.
    Append {
        session: u128,
        words: Vec<usize>,
        torn: bool,
    },
    /// Replaces the content, in place.
    Rewrite {
        session: u128,
        words: Vec<usize>,
    },
    /// Changes a word in place, keeping the length.
    Alter {
        session: u128,
    },
    Truncate {
        session: u128,
        keep: usize,
    },
    Move {
        session: u128,
        slug: usize,
    },
    Duplicate {
        session: u128,
        slug: usize,
    },
    Delete {
        session: u128,
    },
    Subagent {
        session: u128,
        words: Vec<usize>,
    },
    Pass,
}

const SLUGS: [&str; 3] = ["-a", "-b", "-c"];

fn step() -> impl Strategy<Value = Step> {
    let session = 1..4u128;
    let words = || proptest::collection::vec(0..WORDS.len(), 1..5);
    prop_oneof![
        4 => (session.clone(), words(), any::<bool>()).prop_map(|(session, words, torn)| Step::Append { session, words, torn }),
        2 => (session.clone(), words()).prop_map(|(session, words)| Step::Rewrite { session, words }),
        1 => session.clone().prop_map(|session| Step::Alter { session }),
        1 => (session.clone(), 0..600usize).prop_map(|(session, keep)| Step::Truncate { session, keep }),
        1 => (session.clone(), 0..3usize).prop_map(|(session, slug)| Step::Move { session, slug }),
        1 => (session.clone(), 0..3usize).prop_map(|(session, slug)| Step::Duplicate { session, slug }),
        1 => session.clone().prop_map(|session| Step::Delete { session }),
        1 => (session, words()).prop_map(|(session, words)| Step::Subagent { session, words }),
        4 => Just(Step::Pass),
    ]
}

fn content(words: &[usize]) -> String {
    let mut content = String::new();
    for (index, word) in words.iter().enumerate() {
        let minute = u32::try_from(*word + index).unwrap();
        content += &match word % 4 {
            0 => prompt(minute, WORDS[*word]),
            1 => answer(minute, WORDS[*word]),
            2 => tool_call(minute, "Bash", WORDS[*word]),
            _ => title(WORDS[*word]),
        };
    }
    content
}

/// The first place where the session has a transcript.
fn place(machine: &Machine, session: u128) -> Option<std::path::PathBuf> {
    SLUGS
        .iter()
        .map(|slug| machine.transcript(slug, id(session)))
        .find(|path| path.exists())
}

/// Takes the step of this number. What it writes gets a time of its own: a file of the same size and time counts as unchanged.
fn take(machine: &Machine, number: i64, step: &Step) {
    let stamp = |path: &Path| touch(path, 1000 * (number + 1));
    let at = |session| place(machine, session).unwrap_or_else(|| machine.transcript(SLUGS[0], id(session)));
    match step {
        Step::Append { session, words, torn } => {
            let path = at(*session);
            if !path.exists() {
                machine.write(&path, "");
            }
            let content = content(words);
            // Torn in the middle of a record: the client starts its next one on a new line.
            let end = if *torn { content.len() - 9 } else { content.len() };
            let before = fs::read(&path).unwrap();
            let lead = if before.is_empty() || before.ends_with(b"\n") {
                ""
            } else {
                "\n"
            };
            machine.append(
                &path,
                &format!("{lead}{}", &content[..content.floor_char_boundary(end)]),
            );
            stamp(&path);
        }
        Step::Rewrite { session, words } => {
            let path = at(*session);
            machine.write(&path, &content(words));
            stamp(&path);
        }
        Step::Alter { session } => {
            if let Some(path) = place(machine, *session) {
                let content = fs::read_to_string(&path).unwrap().replace("alpha", "omega");
                machine.write(&path, &content);
                stamp(&path);
            }
        }
        Step::Truncate { session, keep } => {
            if let Some(path) = place(machine, *session) {
                let content = fs::read_to_string(&path).unwrap();
                let end = content.floor_char_boundary((*keep).min(content.len()));
                machine.write(&path, &content[..end]);
                stamp(&path);
            }
        }
        Step::Move { session, slug } => {
            let to = machine.transcript(SLUGS[*slug], id(*session));
            if let Some(path) = place(machine, *session).filter(|_| !to.exists()) {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::rename(path, to).unwrap();
            }
        }
        Step::Duplicate { session, slug } => {
            let to = machine.transcript(SLUGS[*slug], id(*session));
            if let Some(path) = place(machine, *session).filter(|_| !to.exists()) {
                machine.write(&to, &fs::read_to_string(path).unwrap());
                stamp(&to);
            }
        }
        Step::Delete { session } => {
            if let Some(path) = place(machine, *session) {
                fs::remove_file(path).unwrap();
            }
        }
        Step::Subagent { session, words } => {
            let path = machine
                .projects()
                .join(format!("-a/{}/subagents/agent-1.jsonl", id(*session)));
            machine.write(&path, &content(words));
            stamp(&path);
        }
        Step::Pass => assert!(machine.pass().finished),
    }
}

/// All that a user can see of the sessions that are there.
fn picture(machine: &Machine) -> (Vec<CatalogueSession>, Vec<Vec<Place>>) {
    let mut sessions = machine.open().sessions().unwrap();
    sessions.retain(CatalogueSession::is_present);
    for session in &mut sessions {
        session.transcripts.retain(|file| file.present);
        session.transcripts.sort_by(|a, b| a.path.cmp(&b.path));
    }
    let present: std::collections::BTreeSet<_> = sessions.iter().map(|session| session.session).collect();
    let words = [
        "alpha",
        "omega",
        "bravo",
        "bravo_charlie",
        "userby",
        "getuserbyid",
        "\"src/main.rs\"",
        "検",
        "delta",
        "bash",
    ];
    let found = words.iter().map(|word| {
        let mut found = machine.found(word);
        found.retain(|(session, _, _)| present.contains(session));
        found
    });
    (sessions, found.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn passes_in_between_make_no_difference(steps in proptest::collection::vec(step(), 1..14)) {
        let machine = Machine::new();
        for (number, step) in (0..).zip(&steps) {
            take(&machine, number, step);
        }
        machine.pass();
        let incremental = picture(&machine);
        fs::remove_dir_all(machine.catalogue_path().parent().unwrap()).unwrap();
        machine.pass();
        prop_assert_eq!(incremental, picture(&machine));
    }
}
