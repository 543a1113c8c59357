//! `sexton sweep`

use sexton_testkit::register::{started, write};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, session_id};

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
