//! Bad input and a broken machine: what can be shown is shown, the rest is named.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use sexton_testkit::damage::plant_healthy;
use sexton_testkit::register::{file, named, started, write};
use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{SEXTON, document, listed_ids, now_ms, sexton};

#[test]
fn one_damaged_file_hides_no_other() {
    let env = TestEnv::new();
    let (good, bad) = (session_id(1), session_id(2));
    write(&env.register_dir(), &good, &[started(&good, now_ms() - 5_000)]);
    let path = write(&env.register_dir(), &bad, &[started(&bad, now_ms() - 5_000)]);
    let broken = fs::read_to_string(&path).unwrap() + "{\"format_version\":1}\n";
    env.write(&path, &broken);
    let run = sexton(&env, &["list"]);
    run.assert_code(3);
    for id in [&good, &bad] {
        assert!(run.stdout.contains(&id[..8]), "{}", run.stdout);
    }
    let place = format!("error: {}:2: ", path.display());
    assert!(run.stderr.contains(&place), "{}", run.stderr);
    assert!(run.stderr.contains("sexton register repair"), "{}", run.stderr);
    let json = sexton(&env, &["list", "--json"]);
    json.assert_code(3);
    assert_eq!(document(&json)["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn a_register_that_is_a_file_is_refused() {
    let env = TestEnv::new();
    plant_healthy(&env);
    let wrong = env.home().join("file");
    env.write(&wrong, "");
    for command in [
        &["list"][..],
        &["sweep"],
        &["mark", "00000001", "done"],
        &["name", "00000001", "x"],
    ] {
        let run = sexton(&env, &[command, &["--register-dir", wrong.to_str().unwrap()]].concat());
        run.assert_code(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("is not a directory"), "{}", run.stderr);
        assert!(run.stderr.contains("--register-dir"), "{}", run.stderr);
    }
}

#[test]
fn a_config_directory_that_is_not_there_is_refused() {
    let env = TestEnv::new();
    plant_healthy(&env);
    let file = env.home().join("file");
    env.write(&file, "");
    for wrong in ["nonexistent", "file", ""] {
        let run = sexton(&env, &["list", &format!("--config-dir={wrong}")]);
        assert!(matches!(run.code, Some(1 | 2)), "{wrong:?}: {run:#?}");
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn config_directories_that_are_named_replace_the_known_ones() {
    let env = TestEnv::new();
    plant_healthy(&env);
    let other = env.root().join("other");
    Transcript::new(&session_id(2)).conversation("a", "b").write(&other);
    let given = format!("--config-dir={}", other.display());
    assert_eq!(listed_ids(&env, &["--all", &given]), [session_id(2)]);
}

#[test]
fn without_a_home_it_says_so() {
    let mut env = TestEnv::new();
    env.unset("HOME");
    let run = sexton(&env, &["list"]);
    run.assert_code(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("`HOME`"), "{}", run.stderr);
    for unusable in ["", "relative/home"] {
        env.set("HOME", unusable);
        sexton(&env, &["list"]).assert_code(1);
    }
}

#[test]
fn names_that_are_not_utf8() {
    let env = TestEnv::new();
    let odd = env.root().join(OsStr::from_bytes(b"caf\xe9"));
    Transcript::new(&session_id(1)).conversation("a", "b").write(&odd);
    let arguments = [
        OsStr::new("list"),
        OsStr::new("--all"),
        OsStr::new("--config-dir"),
        odd.as_os_str(),
    ];
    let run = env.run(SEXTON, arguments);
    run.assert_clean();
    assert!(run.stdout.contains("00000001"), "{}", run.stdout);
    let arguments = [
        OsStr::new("show"),
        OsStr::new("00000001"),
        OsStr::new("--config-dir"),
        odd.as_os_str(),
    ];
    let run = env.run(SEXTON, arguments);
    run.assert_clean();
    assert!(run.stdout.contains("caf\\xe9"), "{}", run.stdout);
}

#[test]
fn an_event_of_another_session_is_still_this_files() {
    let env = TestEnv::new();
    let id = session_id(1);
    let line = named(&session_id(9), now_ms() - 1_000, "stray").line();
    env.write(&file(&env.register_dir(), &id), line + "\n");
    assert_eq!(listed_ids(&env, &["--all"]), [id]);
}
