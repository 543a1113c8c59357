//! `sexton sweep`

use sexton_testkit::register::{started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, dead_pid, register, session_id};

use crate::support::{document, kinds, now_ms, sexton};

#[test]
fn deaths_and_names_are_recorded_and_said() {
    let env = TestEnv::new();
    let (dead, alive, young) = (session_id(1), session_id(2), session_id(3));
    let process = LiveProcess::start();
    for (id, age) in [(&dead, 3_600_000), (&alive, 3_600_000), (&young, 1_000)] {
        write(&env.register_dir(), id, &[started(id, now_ms() - age)]);
    }
    RegistryRecord::of(&process, &alive)
        .name("parser", "user")
        .write(&env.config_dir());
    let run = sexton(&env, &["sweep"]);
    run.assert_clean();
    assert!(run.stdout.contains(&format!("{dead} crashed")), "{}", run.stdout);
    assert!(
        run.stdout.contains(&format!("{alive} is called `parser`")),
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.lines().count(), 2);
    assert_eq!(kinds(&env, &dead), ["started", "ended"]);
    assert_eq!(kinds(&env, &alive), ["started", "named"]);
    assert_eq!(kinds(&env, &young), ["started"]);
    let again = sexton(&env, &["sweep"]);
    again.assert_clean();
    assert_eq!(again.stdout, "nothing to record\n");
    let json = document(&sexton(&env, &["sweep", "--json"]));
    assert_eq!(json["items"].as_array().unwrap().len(), 0);
}

#[test]
fn where_all_failed_nothing_is_said_to_be_left_and_an_error_is_told_once() {
    let env = TestEnv::new();
    let id = session_id(1);
    let at = now_ms() - 3_600_000;
    write(&env.register_dir(), &id, &[started(&id, at)]);
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &id)
        .name("parser", "user")
        .write(&env.config_dir());
    RegistryRecord::with_pid(dead_pid(), &session_id(2))
        .name("lexer", "user")
        .write(&env.config_dir());
    // A file is in the place of the register's directory: nothing can be written there.
    std::fs::remove_dir_all(env.register_dir()).unwrap();
    env.write(&env.register_dir().join("other"), "");
    for number in [1, 2] {
        std::fs::create_dir(register::file(&env.register_dir(), &session_id(number))).unwrap();
    }
    for command in ["sweep", "prune"] {
        let run = sexton(&env, &[command]);
        assert_eq!(run.stdout, "", "{run:#?}");
        let mut lines: Vec<&str> = run.stderr.lines().collect();
        assert!(lines.iter().any(|line| line.starts_with("error: ")), "{run:#?}");
        lines.sort_unstable();
        let count = lines.len();
        lines.dedup();
        assert_eq!(lines.len(), count, "{run:#?}");
    }
}
