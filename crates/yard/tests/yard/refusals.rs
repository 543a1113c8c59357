//! What is left alone, and what is said about it.

use std::fs;

use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_testkit::{Transcript, TreePicture};
use sexton_yard::archive::{ArchiveError, ArchiveRequest, plan_archive};
use sexton_yard::filter::DeleteOptions;
use sexton_yard::gate::{Verdict, Vouched};
use sexton_yard::item::{ItemError, Outcome};
use sexton_yard::restore::RestoreError;
use sexton_yard::tombstones::TombstoneError;
use sexton_yard::{DeleteError, YardError, plan_delete, tombstone_path};

use crate::support::{NOBODY, World, assert_done, by_id, id};

#[test]
fn without_a_filter_nothing_is_planned() {
    let world = World::new();
    world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let error = plan_delete(&yard, &world.ground().survey(), &DeleteOptions::default()).unwrap_err();
    assert!(matches!(error, DeleteError::NoFilter));
    assert_eq!(
        error.to_string(),
        "refusing to delete all sessions: set at least one filter"
    );
}

#[test]
fn what_lives_is_refused_with_its_process() {
    let world = World::new();
    let (one, _) = world.plant_transcript(1);
    let (two, _) = world.plant_transcript(2);
    let gate = |session: &SessionId| match session {
        session if *session == id(1) => Verdict::Live("pid 4711, alive".to_owned()),
        _ => Verdict::Free,
    };
    let before = TreePicture::of(&world.config);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &gate);

    let named = world.plan_delete(&yard, &[one, two]);
    assert_eq!(named.matched.len(), 1);
    assert!(named.refused[0].named && named.refused[0].is_live());
    assert!(named.refused[0].error.to_string().contains("pid 4711"));

    let options = DeleteOptions {
        project: Some("sample".to_owned()),
        ..DeleteOptions::default()
    };
    let met = plan_delete(&yard, &world.ground().survey(), &options).unwrap();
    assert_eq!(
        (met.matched.len(), met.refused.len(), met.refused[0].named),
        (1, 1, false)
    );

    let requests = [ArchiveRequest::Id(one.to_string())];
    let archive = world.plan_archive(&yard, &requests).unwrap();
    assert!(matches!(archive.refused[..], [(_, ItemError::Live(_))]));
    before.assert_unchanged(&TreePicture::of(&world.config));
}

#[test]
fn the_gate_is_asked_again_at_the_moment_of_the_move() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let asked = std::cell::Cell::new(0);
    // Free when the plan is made and before the intent is written, live when it is moved.
    let gate = |_: &SessionId| {
        asked.set(asked.get() + 1);
        if asked.get() < 3 {
            Verdict::Free
        } else {
            Verdict::Live("pid 4711".to_owned())
        }
    };
    let effects = Effects::apply();
    let applied = world.delete(&world.yard(&effects, &gate), &[session]);
    assert!(
        matches!(applied.items[0].outcome, Outcome::LeftAlone(ItemError::Live(_))),
        "{applied:?}"
    );
    assert!(path.exists() && !world.is_tombstoned(session));
}

#[test]
fn what_cannot_be_judged_goes_only_when_it_is_vouched_for_by_its_full_id() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let gate = |_: &SessionId| Verdict::NotJudgeable("pid 7, runs in another container".to_owned());
    let effects = Effects::apply();
    let yard = world.yard(&effects, &gate);
    for (text, unverified, taken) in [
        (session.as_str(), false, false),
        (session.short(), true, false),
        (session.as_str(), true, true),
    ] {
        let options = DeleteOptions {
            sessions: vec![text.to_owned()],
            unverified,
            ..DeleteOptions::default()
        };
        let plan = plan_delete(&yard, &world.ground().survey(), &options).unwrap();
        assert_eq!(plan.matched.len(), usize::from(taken), "{text} {unverified}");
        if taken {
            assert_done(&plan.apply(&yard, &world.ground().survey()).unwrap());
        }
    }
    assert!(!path.exists());
}

#[test]
fn what_changed_since_the_plan_is_left_alone_and_the_others_go() {
    let world = World::new();
    let sessions: Vec<SessionId> = (1..=6).map(|number| world.plant_small(number)).collect();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let plan = world.plan_delete(&yard, &sessions);
    let transcript = |session: SessionId| world.transcript(session);

    // Grew; a side file appeared; a side file vanished; a whole part appeared; the transcript was replaced by an equal one.
    fs::write(transcript(sessions[0]), "grown").unwrap();
    fs::write(transcript(sessions[1]).with_extension("").join("new"), "").unwrap();
    fs::remove_file(
        transcript(sessions[2])
            .with_extension("")
            .join("subagents/agent-1.jsonl"),
    )
    .unwrap();
    fs::create_dir_all(world.config.join("tasks").join(sessions[3].as_str())).unwrap();
    let copy = transcript(sessions[4]).with_extension("copy");
    fs::copy(transcript(sessions[4]), &copy).unwrap();
    fs::rename(&copy, transcript(sessions[4])).unwrap();

    let before = TreePicture::of(&world.config);
    let applied = plan.apply(&yard, &world.ground().survey()).unwrap();
    for (item, session) in applied.items.iter().zip(&sessions).take(5) {
        let Outcome::LeftAlone(ItemError::Changed(changes)) = &item.outcome else {
            panic!("{session}: {item:?}");
        };
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(transcript(*session).exists() && !world.is_tombstoned(*session));
    }
    assert!(applied.items[5].outcome.is_success());
    assert!(world.is_tombstoned(sessions[5]));
    let gone = before.difference(&TreePicture::of(&world.config));
    let touched: Vec<&str> = gone
        .lines()
        .filter(|line| !line.contains(sessions[5].as_str()) && !line.contains("directory"))
        .collect();
    assert_eq!(touched, Vec::<&str>::new());
}

#[test]
fn a_linked_transcript_is_refused_and_named() {
    let world = World::new();
    let (_, real) = world.plant_transcript(1);
    let session = id(2);
    let link = real.with_file_name(format!("{session}.jsonl"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let plan = world.plan_delete(&yard, &[session]);
    assert!(plan.matched.is_empty());
    assert!(plan.refused[0].error.to_string().contains(&*link.to_string_lossy()));
    let requests = [ArchiveRequest::Path(link.clone())];
    let archive = world.plan_archive(&yard, &requests).unwrap();
    assert!(matches!(&archive.refused[..], [(_, ItemError::SymlinkedTranscript(path))] if *path == link));
    assert!(link.is_symlink() && real.is_file());
}

#[test]
fn a_linked_project_directory_is_one_project() {
    let world = World::new();
    let (session, _) = world.plant_transcript(1);
    let projects = world.config.join("projects");
    let elsewhere = world.root.join("elsewhere");
    fs::rename(projects.join("-home-dev-sample"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, projects.join("-home-dev-sample")).unwrap();
    let before = TreePicture::of(&world.root.join("elsewhere")).without_times();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    assert!(
        projects.join("-home-dev-sample").is_symlink(),
        "the link is not ours to remove"
    );
    assert_done(&world.restore(&yard, session));
    before.assert_unchanged(&TreePicture::of(&elsewhere).without_times());
}

#[test]
fn one_id_in_two_projects() {
    let world = World::new();
    let (session, first) = world.plant_transcript(1);
    let second = world.config.join("projects/-other").join(first.file_name().unwrap());
    fs::create_dir(second.parent().unwrap()).unwrap();
    fs::copy(&first, &second).unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let before = TreePicture::of(&world.config).without_times();

    // The same content: one session, both paths go and come back.
    assert_done(&world.archive(&yard, &[session]));
    assert!(!first.exists() && !second.exists());
    assert_done(&world.restore(&yard, session));
    fs::remove_dir(world.config.join("archive")).unwrap();
    before.assert_unchanged(&TreePicture::of(&world.config).without_times());

    // Two contents: archive can't know which is the session.
    fs::write(&second, "other\n").unwrap();
    let requests = [ArchiveRequest::Id(session.to_string())];
    let plan = world.plan_archive(&yard, &requests).unwrap();
    let message = plan.refused[0].1.to_string();
    assert!(
        message.contains(&*first.to_string_lossy()) && message.contains(&*second.to_string_lossy()),
        "{message}"
    );

    // Delete takes it as one item.
    let plan = world.plan_delete(&yard, &[session]);
    assert_eq!(plan.matched[0].paths, [first.clone(), second.clone()]);
    assert_done(&plan.apply(&yard, &world.ground().survey()).unwrap());
    assert!(!first.exists() && !second.exists());
}

#[test]
fn an_archive_holds_what_it_holds() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let archived = world.archived_transcript(session);
    fs::create_dir(archived.parent().unwrap()).unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);

    fs::write(&archived, "an older one\n").unwrap();
    let requests = [ArchiveRequest::Id(session.to_string())];
    let plan = world.plan_archive(&yard, &requests).unwrap();
    let message = plan.refused[0].1.to_string();
    assert!(
        message.contains(&*path.to_string_lossy()) && message.contains(&*archived.to_string_lossy()),
        "{message}"
    );

    // The same content completes it.
    fs::copy(&path, &archived).unwrap();
    assert_done(&world.archive(&yard, &[session]));
    assert!(!path.exists() && archived.exists());
}

#[test]
fn what_appears_at_the_destination_after_the_plan_is_not_overwritten() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let ground = world.ground();
    let requests = [ArchiveRequest::Id(session.to_string())];
    let plan = world.plan_archive(&yard, &requests).unwrap();
    let archived = world.archived_transcript(session);
    fs::create_dir(archived.parent().unwrap()).unwrap();
    fs::write(&archived, "someone else's\n").unwrap();
    let applied = plan.apply(&yard, &ground.survey()).unwrap();
    assert!(
        matches!(applied.items[0].outcome, Outcome::LeftAlone(ItemError::Occupied { .. })),
        "{applied:?}"
    );
    assert!(path.exists());
    assert_eq!(fs::read(&archived).unwrap(), b"someone else's\n");
}

#[test]
fn only_transcripts_are_archived_and_never_into_the_projects() {
    let world = World::new();
    let (_, path) = world.plant_transcript(1);
    let notes = path.with_file_name("notes.txt");
    fs::write(&notes, "").unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let ground = world.ground();
    let plan = |request: ArchiveRequest, into: Option<&std::path::Path>| {
        plan_archive(&yard, &ground.survey(), &[request], into, &Vouched::nobody()).map(|_| ())
    };
    assert!(matches!(
        plan(ArchiveRequest::Path(notes), None),
        Err(ArchiveError::NoTranscript(_))
    ));
    let elsewhere = world.root.join(format!("{}.jsonl", id(9)));
    assert!(matches!(
        plan(ArchiveRequest::Path(elsewhere), None),
        Err(ArchiveError::NoTranscript(_))
    ));
    let inside = world.config.join("projects/old");
    let error = plan(ArchiveRequest::Path(path.clone()), Some(&inside));
    assert!(matches!(error, Err(ArchiveError::InsideProjects(_))));
    plan(ArchiveRequest::Path(path), Some(&world.root.join("kept"))).unwrap();
    assert!(matches!(
        plan(ArchiveRequest::Id("0000000".to_owned()), None),
        Err(ArchiveError::NotFound(_))
    ));
}

#[test]
fn unreadable_tombstones_stop_everything_that_depends_on_them() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let plan = world.plan_delete(&yard, &[session]);
    let stones = tombstone_path(&world.stones);
    fs::create_dir_all(&stones).unwrap();

    let applied = plan.apply(&yard, &world.ground().survey()).unwrap();
    assert!(matches!(applied.items[0].outcome, Outcome::LeftAlone(_)), "{applied:?}");
    assert!(path.exists());
    let error = plan_delete(&yard, &world.ground().survey(), &by_id(&[session])).unwrap_err();
    assert!(matches!(
        error,
        DeleteError::Yard(YardError::Tombstone(TombstoneError::Unreadable { .. }))
    ));

    fs::remove_dir(&stones).unwrap();
    assert_done(&world.delete(&yard, &[session]));
    let kept = fs::read(&stones).unwrap();
    fs::remove_file(&stones).unwrap();
    fs::create_dir(&stones).unwrap();
    let error = world.try_plan_restore(&yard, session.as_str(), None).unwrap_err();
    assert!(matches!(error, RestoreError::Yard(YardError::Tombstone(_))), "{error}");
    fs::remove_dir(&stones).unwrap();
    fs::write(&stones, kept).unwrap();
    assert_done(&world.restore(&yard, session));
}

#[test]
fn a_session_that_is_there_is_not_restored_over() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    Transcript::new(session.as_str())
        .conversation("again", "yes")
        .write(&world.config);
    let error = world.try_plan_restore(&yard, session.short(), None).unwrap_err();
    assert!(matches!(error, RestoreError::Present { path: there, .. } if there == path));
}

#[test]
fn two_at_once_do_not_meet() {
    let world = World::new();
    let (session, _) = world.plant_transcript(1);
    let effects = Effects::apply();
    let mut yard = world.yard(&effects, &NOBODY);
    yard.patience = std::time::Duration::ZERO;
    let plan = world.plan_delete(&yard, &[session]);
    fs::create_dir_all(&world.data).unwrap();
    let held = effects
        .lock(&world.data.join("operation.lock"), std::time::Duration::ZERO)
        .unwrap();
    let error = plan.apply(&yard, &world.ground().survey()).unwrap_err();
    assert!(matches!(error, YardError::InProgress));
    drop(held);
    yard.patience = std::time::Duration::from_secs(30);
    assert_done(&world.delete(&yard, &[session]));
}

#[test]
fn a_foreign_file_goes_only_by_its_whole_name() {
    let world = World::new();
    let (_, path) = world.plant_transcript(1);
    let foreign = path.with_file_name("agent-a1b2c3d4e5.jsonl");
    fs::write(&foreign, "{}\n").unwrap();
    fs::write(path.with_file_name(".jsonl"), "{}\n").unwrap();
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let by = |options: DeleteOptions| plan_delete(&yard, &world.ground().survey(), &options);
    let all = by(DeleteOptions {
        project: Some("sample".to_owned()),
        ..DeleteOptions::default()
    });
    assert_eq!(all.unwrap().matched.len(), 1, "no filter meets it");
    let named = |text: &str| {
        by(DeleteOptions {
            sessions: vec![text.to_owned()],
            ..DeleteOptions::default()
        })
    };
    assert!(matches!(named("agent-a1b2c3"), Err(DeleteError::NotFound(_))));
    let plan = named("agent-a1b2c3d4e5").unwrap();
    assert_eq!(plan.matched[0].footprint, std::slice::from_ref(&foreign));
    assert_done(&plan.apply(&yard, &world.ground().survey()).unwrap());
    assert!(!foreign.exists() && world.tombstones().contains("agent-a1b2c3d4e5"));
    let plan = world.try_plan_restore(&yard, "agent-a1b2c3d4e5", None);
    assert_done(&plan.unwrap().apply(&yard).unwrap());
    assert!(foreign.exists() && world.tombstones().is_empty());
}

#[test]
fn prefixes_that_fit_two_sessions_name_both() {
    let world = World::new();
    world.plant_transcript(1);
    let twin = SessionId::parse("00000001-1111-4111-8111-111111111111").unwrap();
    Transcript::new(twin.as_str())
        .conversation("a", "b")
        .write(&world.config);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let options = DeleteOptions {
        sessions: vec!["00000001".to_owned()],
        ..DeleteOptions::default()
    };
    let error = plan_delete(&yard, &world.ground().survey(), &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(id(1).as_str()) && error.contains(twin.as_str()),
        "{error}"
    );
}

#[test]
fn a_second_transcript_that_appears_stops_a_restore() {
    let world = World::new();
    let (session, path) = world.plant_transcript(1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    assert_done(&world.delete(&yard, &[session]));
    let plan = world.plan_restore(&yard, session);
    let second = world.config.join("projects/-other").join(path.file_name().unwrap());
    fs::create_dir_all(second.parent().unwrap()).unwrap();
    fs::write(&second, "{}\n").unwrap();
    let applied = plan.apply(&yard).unwrap();
    let Outcome::LeftAlone(error @ ItemError::Changed(_)) = &applied.items[0].outcome else {
        panic!("{applied:?}");
    };
    assert!(error.to_string().contains("-other"), "{error}");
    assert!(!path.exists() && world.is_tombstoned(session));
}
