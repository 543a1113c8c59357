//! Which sessions a delete takes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Effects, FileTime};
use sexton_testkit::{NOW_MS, Transcript};
use sexton_yard::facts::{Facts, FileFacts, SessionFacts};
use sexton_yard::filter::DeleteOptions;
use sexton_yard::{Survey, plan_delete};

use crate::support::{NOBODY, World, id};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn matched(world: &World, options: &DeleteOptions) -> Vec<SessionId> {
    let effects = Effects::apply();
    let plan = plan_delete(&world.yard(&effects, &NOBODY), &world.ground().survey(), options).unwrap();
    assert!(plan.refused.is_empty(), "{:?}", plan.refused);
    plan.matched
        .iter()
        .filter_map(|item| item.id.session().copied())
        .collect()
}

fn write(world: &World, number: u128, cwd: &str, at_ms: i64, turns: usize) -> PathBuf {
    let mut transcript = Transcript::new(id(number).as_str()).cwd(cwd).at_ms(at_ms);
    for _ in 0..turns {
        transcript = transcript.conversation("why is it slow?", &"because ".repeat(100));
    }
    transcript.write(&world.config)
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn each_filter_and_all_of_them() {
    let world = World::new();
    let old = write(&world, 1, "/work/site", NOW_MS - 40 * DAY_MS, 3);
    let short = write(&world, 2, "/work/site/api", NOW_MS - 10 * DAY_MS, 1);
    let lines = fs::read_to_string(short).unwrap().lines().count() as u64;
    write(&world, 3, "/work/site-2", NOW_MS - 5 * DAY_MS, 1);
    let quiet = Transcript::new(id(4).as_str())
        .cwd("/tmp")
        .at_ms(NOW_MS - 5 * DAY_MS)
        .prompt("hi")
        .answer("Hello.");
    quiet.write(&world.config);
    // A file that was looked at by a client is young again; its messages are not.
    fs::File::options()
        .append(true)
        .open(&old)
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_millis(NOW_MS.try_into().unwrap()))
        .unwrap();

    let none = DeleteOptions::default();
    let before = |days: i64| Some(FileTime::from_ms(NOW_MS - days * DAY_MS));
    let cases: [(&str, DeleteOptions, &[u128]); 9] = [
        (
            "before, by the file's time",
            DeleteOptions {
                before: before(7),
                ..none.clone()
            },
            &[2],
        ),
        (
            "inactive",
            DeleteOptions {
                inactive_before_ms: Some(NOW_MS - 7 * DAY_MS),
                ..none.clone()
            },
            &[1, 2],
        ),
        (
            "project",
            DeleteOptions {
                project: Some("site".to_owned()),
                ..none.clone()
            },
            &[1, 2, 3],
        ),
        (
            "project by case",
            DeleteOptions {
                project: Some("Site".to_owned()),
                ..none.clone()
            },
            &[],
        ),
        (
            "project by its path",
            DeleteOptions {
                project: Some(world.config.join("projects/-tmp").to_string_lossy().into_owned()),
                ..none.clone()
            },
            &[4],
        ),
        (
            "directory",
            DeleteOptions {
                cwd: Some("/work/site".into()),
                ..none.clone()
            },
            &[1, 2],
        ),
        (
            "messages",
            DeleteOptions {
                max_messages: Some(lines),
                ..none.clone()
            },
            &[2, 3, 4],
        ),
        (
            "routine",
            DeleteOptions {
                routine: true,
                ..none.clone()
            },
            &[4],
        ),
        (
            "several",
            DeleteOptions {
                cwd: Some("/work/site".into()),
                inactive_before_ms: Some(NOW_MS - 20 * DAY_MS),
                ..none.clone()
            },
            &[1],
        ),
    ];
    for (name, options, expected) in cases {
        let mut expected: Vec<SessionId> = expected.iter().map(|number| id(*number)).collect();
        let mut got = matched(&world, &options);
        got.sort_unstable();
        expected.sort_unstable();
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn ids_are_a_union_and_filters_narrow_it() {
    let world = World::new();
    for number in 1..=3 {
        write(
            &world,
            number,
            "/work",
            NOW_MS - i64::try_from(number).unwrap() * 10 * DAY_MS,
            1,
        );
    }
    let options = DeleteOptions {
        sessions: vec![id(1).to_string(), id(3).short().to_owned()],
        before: Some(FileTime::from_ms(NOW_MS - 15 * DAY_MS)),
        ..DeleteOptions::default()
    };
    assert_eq!(matched(&world, &options), [id(3)]);
}

#[test]
fn a_plan_shows_what_it_takes_and_how_much_of_all() {
    let world = World::new();
    for number in 1..=12 {
        write(&world, number, "/work/site", NOW_MS - DAY_MS, 1);
    }
    write(&world, 20, "/elsewhere", NOW_MS, 1);
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let options = DeleteOptions {
        project: Some("site".to_owned()),
        ..DeleteOptions::default()
    };
    let plan = plan_delete(&yard, &world.ground().survey(), &options).unwrap();
    assert_eq!((plan.matched.len(), plan.sessions), (12, 13));
    assert!(plan.takes_most());
    let item = &plan.matched[0];
    assert_eq!(item.project, "-work-site");
    assert_eq!(item.facts.title.as_deref(), Some("why is it slow?"));
    assert_eq!(item.facts.directory.as_deref(), Some(Path::new("/work/site")));
    assert!(item.facts.last_activity_ms.is_some() && item.bytes > 0 && item.footprint_files == 1);
    let paths: Vec<_> = plan.matched.iter().map(|item| item.paths[0].clone()).collect();
    assert!(paths.is_sorted());

    let output = serde_json::to_value(plan.output(false)).unwrap();
    assert_eq!(
        (&output["schema_version"], &output["deleted"]),
        (&1.into(), &false.into())
    );
    assert_eq!(output["items"].as_array().unwrap().len(), 12);

    let named = world.plan_delete(&yard, &(1..=12).map(id).collect::<Vec<_>>());
    assert!(!named.takes_most(), "who names each one means it");
}

/// Facts that may not be asked how long a transcript is.
struct NeverWhole;

impl Facts for NeverWhole {
    fn facts(&self, session: Option<&SessionId>, transcript: &Path) -> io::Result<SessionFacts> {
        FileFacts.facts(session, transcript)
    }

    fn messages(&self, _: &Path, _: u64) -> io::Result<u64> {
        panic!("a transcript is read whole")
    }

    fn routine(&self, _: &Path) -> io::Result<bool> {
        panic!("a transcript is read whole")
    }
}

#[test]
fn no_transcript_is_read_whole_unless_it_is_asked_for() {
    let world = World::new();
    let path = write(&world, 1, "/work/site", NOW_MS - DAY_MS, 1);
    // Longer than both ends, and a directory's worth of holes between them.
    let file = fs::File::options().append(true).open(&path).unwrap();
    file.set_len(20 << 30).unwrap();
    let ground = world.ground();
    let survey = ground.survey();
    let survey = Survey {
        facts: &NeverWhole,
        ..survey
    };
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let options = DeleteOptions {
        cwd: Some("/work".into()),
        ..DeleteOptions::default()
    };
    let plan = plan_delete(&yard, &survey, &options).unwrap();
    assert_eq!(plan.matched.len(), 1);
    plan.apply(&yard, &survey).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_file_that_cannot_be_read_is_a_problem_of_its_session() {
    let world = World::new();
    let (bad, good) = (
        write(&world, 1, "/work", NOW_MS, 1),
        write(&world, 2, "/work", NOW_MS, 1),
    );
    fs::remove_file(&bad).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&bad).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let effects = Effects::apply();
    let yard = world.yard(&effects, &NOBODY);
    let options = DeleteOptions {
        max_messages: Some(100),
        ..DeleteOptions::default()
    };
    let plan = plan_delete(&yard, &world.ground().survey(), &options).unwrap();
    assert_eq!(
        plan.matched
            .iter()
            .map(|item| item.paths[0].clone())
            .collect::<Vec<_>>(),
        [good]
    );
}
