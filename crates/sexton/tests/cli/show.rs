//! `sexton show`

use std::fs;

use serde_json::json;
use sexton_testkit::register::{ended, mark, named, started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, session_id};

use crate::support::{now_ms, sexton, shown};

#[test]
fn everything_that_is_known() {
    let env = TestEnv::new();
    let process = LiveProcess::start();
    let id = session_id(1);
    let now = now_ms();
    let transcript = Transcript::new(&id)
        .opening()
        .at_ms(now - 660_000)
        .branch("feature/spans")
        .conversation("mend the parser", "done")
        .ai_title("Mend the parser")
        .write(&env.config_dir());
    let record = RegistryRecord::of(&process, &id)
        .name("parser", "user")
        .started_at(now - 3_600_000)
        .waiting_for("permission prompt")
        .write(&env.config_dir());
    write(
        &env.register_dir(),
        &id,
        &[
            started(&id, now - 3_600_000)
                .text("profile", "work")
                .text("permissions", "plan"),
            named(&id, now - 3_600_000, "parser"),
            mark(&id, now - 60_000, Some("blocked")).text("note", "waits for review"),
        ],
    );
    let run = sexton(&env, &["show", "parser"]);
    run.assert_clean();
    for expected in [
        &id,
        "parser",
        "Mend the parser",
        "waiting: its process runs",
        "permission prompt",
        "blocked",
        "waits for review",
        "/home/dev/sample",
        "feature/spans",
        "claude-opus-5-5",
        "2.1.332",
        "work",
        "plan",
        &process.pid().to_string(),
        record.to_str().unwrap(),
        transcript.to_str().unwrap(),
        env.config_dir().to_str().unwrap(),
        "1h ago",
        "10m ago",
    ] {
        assert!(
            run.stdout.contains(expected),
            "`{expected}` is missing:\n{}",
            run.stdout
        );
    }
    let session = shown(&env, &id);
    assert_eq!(session["mark"]["note"], "waits for review");
    assert_eq!(session["processes"][0]["verified"], true);
    assert_eq!(session["waiting_for"], "permission prompt");
    assert_eq!(session["transcripts"], json!([transcript]));
}

#[test]
fn a_crash_says_who_recorded_it() {
    let env = TestEnv::new();
    let id = session_id(1);
    let end = ended(&id, now_ms() - 1_000, "crashed")
        .text("source", "sweep")
        .text("detail", "no live process and no SessionEnd recorded");
    write(&env.register_dir(), &id, &[started(&id, now_ms() - 90_000), end]);
    let page = sexton(&env, &["show", &id]).stdout;
    assert!(page.contains("recorded by the sweep"), "{page}");
    assert!(page.contains("no live process"), "{page}");
}

#[test]
fn one_id_in_two_projects_is_pointed_out() {
    let env = TestEnv::new();
    let id = session_id(1);
    let paths = ["/home/dev/a", "/home/dev/b"].map(|cwd| {
        Transcript::new(&id)
            .cwd(cwd)
            .conversation("a", "b")
            .write(&env.config_dir())
    });
    let page = sexton(&env, &["show", &id]).stdout;
    for path in paths {
        assert!(page.contains(path.to_str().unwrap()), "{page}");
    }
    assert!(page.contains("two transcripts"), "{page}");
}

#[test]
fn its_own_damage_is_reported_and_anothers_is_not() {
    let env = TestEnv::new();
    let (healthy, damaged) = (session_id(1), session_id(2));
    for id in [&healthy, &damaged] {
        write(&env.register_dir(), id, &[started(id, now_ms() - 5_000)]);
    }
    let path = sexton_testkit::register::file(&env.register_dir(), &damaged);
    env.write(&path, fs::read_to_string(&path).unwrap() + "x\n");
    sexton(&env, &["show", &healthy]).assert_clean();
    let run = sexton(&env, &["show", &damaged]);
    run.assert_code(3);
    assert!(run.stdout.contains(&damaged) && run.stderr.contains(":2: "), "{run:#?}");
    // The document says the same.
    let json = crate::support::document(&sexton(&env, &["show", &healthy, "--json"]));
    assert_eq!(json["problems"], json!([]));
}
