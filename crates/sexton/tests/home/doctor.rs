//! `sexton doctor`

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sexton_testkit::register::{ended, started, write};
use sexton_testkit::{RegistryRecord, TestEnv, Transcript, dead_pid, session_id};

use crate::support::{SEXTON, document, read, sexton, stable};

/// A machine on which all is well: hooks installed, a client, one finished session that is neither old nor without a copy.
pub(crate) fn healthy() -> TestEnv {
    let env = TestEnv::new();
    env.install_program("claude", "#!/bin/sh\n");
    fs::create_dir(env.config_dir()).unwrap();
    sexton(&env, &["hooks", "install"]).assert_clean();
    let id = session_id(1);
    let transcript = Transcript::new(&id).conversation("a", "b").write(&env.config_dir());
    // Young, whatever the day on which the test runs.
    fs::File::open(&transcript)
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    write(
        &env.register_dir(),
        &id,
        &[started(&id, 1_000), ended(&id, 2_000, "exited")],
    );
    env
}

/// The findings of one check, each with whether it was mended.
#[track_caller]
pub(crate) fn findings(env: &TestEnv, check: &str, arguments: &[&str]) -> Vec<serde_json::Value> {
    let run = sexton(env, &[&["doctor", "--json"], arguments].concat());
    let json = document(&run);
    let all = json["findings"].as_array().unwrap().clone();
    let left = all
        .iter()
        .any(|finding| finding["weight"] == "attention" && finding["mended"] == false);
    assert_eq!(
        run.code,
        Some(if left || !json["problems"].as_array().unwrap().is_empty() {
            3
        } else {
            0
        }),
        "{json:#}"
    );
    all.into_iter().filter(|finding| finding["check"] == check).collect()
}

/// Asserts that one check has one finding, which `--fix` mends and which is gone afterwards; gives its sentence.
#[track_caller]
pub(crate) fn mended(env: &TestEnv, check: &str) -> String {
    let before = findings(env, check, &[]);
    assert_eq!(before.len(), 1, "{before:#?}");
    assert_eq!(before[0]["fixable"], true);
    let picture = env.picture();
    findings(env, check, &["--fix", "--dry-run"]);
    picture.assert_unchanged(&env.picture());
    let after = findings(env, check, &["--fix"]);
    assert_eq!(
        after.iter().filter(|finding| finding["mended"] == true).count(),
        1,
        "{after:#?}"
    );
    assert_eq!(findings(env, check, &[]), [] as [serde_json::Value; 0]);
    before[0]["what"].as_str().unwrap().to_owned()
}

#[test]
fn a_healthy_machine_is_called_so_and_left_alone() {
    let env = healthy();
    let before = env.picture();
    let run = sexton(&env, &["doctor"]);
    run.assert_code(0);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("", "15 checks, nothing needs attention\n")
    );
    before.assert_unchanged(&env.picture());
    sexton(&env, &["doctor", "--fix"]).assert_code(0);
    before.assert_unchanged(&env.picture());
}

#[test]
fn an_empty_machine_needs_little() {
    let env = TestEnv::new();
    let before = env.picture();
    let run = sexton(&env, &["doctor"]);
    run.assert_code(0);
    before.assert_unchanged(&env.picture());
}

#[test]
fn a_finding_reads_as_what_why_and_how() {
    let env = healthy();
    fs::remove_file(env.config_dir().join("settings.json")).unwrap();
    let id = session_id(2);
    let file = env.register_dir().join(format!("{id}.jsonl"));
    fs::write(&file, "{}\nnonsense\n").unwrap();
    let run = sexton(&env, &["doctor"]);
    run.assert_code(3);
    insta::assert_snapshot!(stable(&env, &run.stdout), @"
    attention: /home/ada/.claudewheel/shared/lifecycle/00000002-5e55-4000-8000-000000000002.jsonl:1: `format_version` is missing (and 1 line more)
      the good lines still count, but whether the session ended may stand in the bad one; other programs refuse the file
      mend: sexton register repair /home/ada/.claudewheel/shared/lifecycle/00000002-5e55-4000-8000-000000000002.jsonl
    attention: /home/ada/.claude/settings.json has no hooks of sexton
      that a session began or ended is then only known from what Claude Code keeps, and a crash from nothing
      mend: sexton hooks install --config-dir /home/ada/.claude
    attention: others can read /home/ada/.claudewheel/shared/lifecycle/00000002-5e55-4000-8000-000000000002.jsonl (0755 on the directory)
      it tells what you worked on, and copies of transcripts hold all that was said
      mend: chmod 700 /home/ada/.claudewheel/shared/lifecycle
    ");
    insta::assert_snapshot!(run.stderr, @"3 things need attention; `sexton doctor --fix` mends 1");
}

#[test]
fn hooks_are_looked_for_and_put_right() {
    let env = healthy();
    let settings = env.config_dir().join("settings.json");
    let text = read(&settings);
    fs::write(&settings, text.replace(SEXTON, "/gone/sexton")).unwrap();
    assert!(mended(&env, "hooks").contains("call `/gone/sexton`, which isn't there"));
    assert_eq!(read(&settings), text);
    let other = env.install_program("sexton-other", "#!/bin/sh\n");
    fs::write(&settings, text.replace(SEXTON, other.to_str().unwrap())).unwrap();
    let found = findings(&env, "hooks", &[]);
    assert_eq!(found[0]["weight"], "note", "{found:#?}");
    // Whether there should be any is for a person to say.
    sexton(&env, &["hooks", "uninstall"]).assert_clean();
    let missing = findings(&env, "hooks", &["--fix"]);
    assert_eq!(
        (&missing[0]["fixable"], &missing[0]["mended"]),
        (&false.into(), &false.into())
    );
    assert!(!settings.exists());
    fs::write(&settings, "{").unwrap();
    assert_eq!(findings(&env, "hooks", &["--fix"]).len(), 1);
    assert_eq!(read(&settings), "{");
}

#[test]
fn stale_registry_files_are_recorded_and_removed() {
    let env = healthy();
    let id = session_id(4);
    RegistryRecord::with_pid(dead_pid(), &id)
        .name("what it was", "user")
        .write_with_key(&env.config_dir());
    assert!(mended(&env, "registry").starts_with("1 registry file of dead processes"));
    assert_eq!(fs::read_dir(env.config_dir().join("sessions")).unwrap().count(), 0);
    assert!(read(&env.register_dir().join(format!("{id}.jsonl"))).contains("what it was"));
}

#[test]
fn private_directories_are_closed() {
    let env = healthy();
    fs::set_permissions(env.register_dir(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(mended(&env, "modes").contains("others can write in"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&env.register_dir()), 0o700);
    // A directory that others may list is no danger as long as its files are closed.
    fs::set_permissions(env.register_dir(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(findings(&env, "modes", &[]).len(), 0);
    let file = fs::read_dir(env.register_dir())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(mended(&env, "modes").contains("others can read"));
    fs::set_permissions(env.config_dir(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(findings(&env, "modes", &["--fix"]).len(), 1);
    assert_eq!(mode(&env.config_dir()), 0o777);
}

#[test]
fn what_claude_code_will_delete_is_said_unless_a_copy_is_kept() {
    let env = healthy();
    let id = session_id(5);
    let transcript = Transcript::new(&id)
        .conversation("old", "words")
        .write(&env.config_dir());
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(26 * 24);
    fs::File::open(&transcript).unwrap().set_modified(old).unwrap();
    let found = findings(&env, "sweep", &[]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0]["what"].as_str().unwrap().contains("1 session of"),
        "{found:#?}"
    );
    let command = found[0]["command"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    sexton(&env, &words).assert_code(0);
    // The copy is made by a pass, which on a busy machine takes more than one list.
    let is_kept = |_: &u32| {
        sexton(&env, &["list"]).assert_code(0);
        findings(&env, "sweep", &[]).is_empty()
    };
    assert!((0..50).any(|attempt| is_kept(&attempt)), "no copy after `{command}`");
}

#[test]
fn many_that_claude_code_will_delete_are_kept_by_one_short_command() {
    let env = healthy();
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(26 * 24);
    let plant = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            let transcript = Transcript::new(&session_id(number))
                .conversation("old", "words")
                .write(&env.config_dir());
            fs::File::open(&transcript).unwrap().set_modified(old).unwrap();
        }
    };
    plant(100..105);
    let command = |found: &[serde_json::Value]| found[0]["command"].as_str().unwrap().to_owned();
    assert_eq!(command(&findings(&env, "sweep", &[])).split(' ').count(), 8);
    plant(105..140);
    let found = findings(&env, "sweep", &[]);
    assert_eq!(
        (found.len(), &*command(&found)),
        (1, "sexton keep add --due"),
        "{found:#?}"
    );
    assert!(found[0]["what"].as_str().unwrap().len() < 300, "{found:#?}");
    let command = command(&found);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let run = sexton(&env, &words);
    run.assert_clean();
    assert_eq!(run.stdout.matches(" is kept").count(), 40, "{run:#?}");
    assert_eq!(findings(&env, "sweep", &[]), [] as [serde_json::Value; 0]);
}

#[test]
fn of_many_findings_of_a_kind_a_person_sees_the_first_few() {
    let env = healthy();
    let back: Vec<String> = (100..109).map(session_id).collect();
    for id in &back {
        let transcript = Transcript::new(id).conversation("went", "on").write(&env.config_dir());
        fs::File::open(&transcript)
            .unwrap()
            .set_modified(std::time::SystemTime::now())
            .unwrap();
    }
    env.write(&env.tombstone_file(), back.join("\n") + "\n");
    assert_eq!(findings(&env, "tombstones", &[]).len(), 9);
    let run = sexton(&env, &["doctor"]);
    run.assert_code(3);
    assert_eq!(run.stdout.matches("attention: ").count(), 5, "{}", run.stdout);
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(last, "  and 4 more of this kind; `sexton doctor --json` has all");
    assert!(run.stderr.starts_with("9 things need attention"), "{}", run.stderr);
}

#[test]
fn one_session_in_two_projects_is_named_with_both() {
    let env = healthy();
    let id = session_id(6);
    for project in ["/work/a", "/work/b"] {
        Transcript::new(&id)
            .cwd(project)
            .conversation("a", "b")
            .write(&env.config_dir());
    }
    let found = findings(&env, "duplicates", &[]);
    let what = found[0]["what"].as_str().unwrap();
    assert!(what.contains("-work-a/") && what.contains("-work-b/"), "{what}");
}

#[test]
fn sessions_that_came_back_are_told_and_stubs_put_away() {
    let env = healthy();
    let (stub, live) = (session_id(7), session_id(8));
    let stub_file = Transcript::new(&stub)
        .line(r#"{"type":"cost-state","sessionId":"x"}"#)
        .write(&env.config_dir());
    let back = Transcript::new(&live)
        .conversation("went", "on")
        .write(&env.config_dir());
    for file in [&stub_file, &back] {
        fs::File::open(file)
            .unwrap()
            .set_modified(std::time::SystemTime::now())
            .unwrap();
    }
    env.write(&env.tombstone_file(), format!("{stub}\n{live}\n"));
    let found = findings(&env, "tombstones", &[]);
    assert_eq!(found.len(), 2, "{found:#?}");
    let found = findings(&env, "tombstones", &["--fix"]);
    assert_eq!(
        found.iter().filter(|finding| finding["mended"] == true).count(),
        1,
        "{found:#?}"
    );
    assert!(!stub_file.exists() && back.exists());
    env.write(&env.tombstone_file(), "a\0b\n");
    let found = findings(&env, "tombstones", &[]);
    assert!(found.iter().all(|finding| finding["fixable"] == false), "{found:#?}");
}

#[test]
fn leftovers_and_foreign_files_are_notes() {
    let env = healthy();
    let projects = env.config_dir().join("projects/-p");
    fs::create_dir_all(projects.join(session_id(9)).join("subagents")).unwrap();
    fs::write(projects.join("notes.jsonl"), "").unwrap();
    let found = findings(&env, "leftovers", &[]);
    let what: Vec<&str> = found.iter().map(|finding| finding["what"].as_str().unwrap()).collect();
    assert!(
        what[0].starts_with("1 session directory without a transcript: "),
        "{what:?}"
    );
    assert!(
        what[1].starts_with("1 `.jsonl` file in `projects/` that is no session's: "),
        "{what:?}"
    );
    assert!(found.iter().all(|finding| finding["weight"] == "note"));
}

#[test]
fn a_damaged_catalogue_is_set_aside() {
    let env = healthy();
    let file = env.cache_dir().join("catalogue.sqlite");
    env.write(&file, "not a database at all, but long enough to be taken for one");
    assert!(mended(&env, "catalogue").contains("catalogue.sqlite can't be used"));
    let names = fs::read_dir(env.cache_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        names
            .filter(|name| name.starts_with("catalogue.sqlite.set-aside-"))
            .count(),
        1
    );
}

#[test]
fn clocks_that_jump_are_noticed() {
    let env = healthy();
    let (ahead, back) = (session_id(10), session_id(11));
    write(&env.register_dir(), &ahead, &[started(&ahead, 4_000_000_000_000)]);
    write(
        &env.register_dir(),
        &back,
        &[started(&back, 9_000_000), ended(&back, 1_000, "exited")],
    );
    let found = findings(&env, "clock", &[]);
    let told: Vec<(&str, bool)> = found
        .iter()
        .map(|finding| {
            (
                finding["weight"].as_str().unwrap(),
                finding["what"].as_str().unwrap().contains("future"),
            )
        })
        .collect();
    assert_eq!(told, [("attention", true), ("note", false)]);
}

#[test]
fn a_copied_register_file_is_noticed() {
    let env = healthy();
    let own = env.register_dir().join(format!("{}.jsonl", session_id(1)));
    fs::copy(own, env.register_dir().join(format!("{}.jsonl", session_id(12)))).unwrap();
    fs::write(env.register_dir().join("copy.jsonl"), "").unwrap();
    let found = findings(&env, "register", &[]);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found
            .iter()
            .any(|finding| finding["what"].as_str().unwrap().contains("another session's id")),
        "{found:#?}"
    );
}

#[test]
fn a_broken_configuration_is_a_finding_and_stops_no_other_check() {
    let env = healthy();
    env.write(
        &env.config_file(),
        "config_dirs = [\"/nowhere\"]\n[vault]\nlimit = \"much\"\nsize = 3\n",
    );
    let found = findings(&env, "configuration", &[]);
    let weights: Vec<&str> = found
        .iter()
        .map(|finding| finding["weight"].as_str().unwrap())
        .collect();
    assert_eq!(weights, ["attention", "attention", "note"], "{found:#?}");
    assert_eq!(findings(&env, "client", &[]).len(), 0);
}

#[test]
fn a_register_that_is_no_directory_is_a_finding() {
    let env = TestEnv::new();
    env.write(&env.register_dir(), "");
    let found = findings(&env, "register", &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_catalogue_with_a_damaged_page_is_set_aside_and_made_anew() {
    let env = healthy();
    for number in 20..60 {
        let id = session_id(number);
        Transcript::new(&id)
            .conversation("many words of a conversation", "and an answer to each of them")
            .write(&env.config_dir());
    }
    sexton(&env, &["list"]).assert_code(0);
    assert_eq!(findings(&env, "catalogue", &[]), [] as [serde_json::Value; 0]);
    let file = env.cache_dir().join("catalogue.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    // The file still opens, and most of what is asked of it is answered: only a look at every page tells.
    let pages = bytes.len() / 4096;
    bytes[(pages - 1) * 4096..].fill(0xa5);
    fs::write(&file, &bytes).unwrap();
    let found = findings(&env, "catalogue", &["--fix"]);
    assert!(found.iter().any(|finding| finding["mended"] == true), "{found:#?}");
    assert_eq!(findings(&env, "catalogue", &[]), [] as [serde_json::Value; 0]);
    sexton(&env, &["search", "many"]).assert_code(0);
}

#[test]
fn an_older_catalogue_is_looked_at_and_left_as_it_is() {
    let env = healthy();
    sexton(&env, &["search", "anything"]).assert_code(1);
    let file = env.cache_dir().join("catalogue.sqlite");
    // SQLite keeps the version that a program gives its tables in these bytes of the file's header.
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&1_u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    let session = session_id(1);
    for arguments in [&["doctor"][..], &["doctor", "--fix", "--dry-run"], &["show", &session]] {
        sexton(&env, arguments).assert_code(0);
        assert!(fs::read(&file).unwrap() == bytes, "{arguments:?}");
    }
    assert_eq!(findings(&env, "catalogue", &[]), [] as [serde_json::Value; 0]);
    sexton(&env, &["search", "anything"]).assert_code(1);
    assert_ne!(fs::read(&file).unwrap()[60..64], bytes[60..64]);
}

#[test]
fn an_operation_that_was_interrupted_is_finished() {
    let env = healthy();
    let id = session_id(13);
    let transcript = Transcript::new(&id).conversation("a", "b").write(&env.config_dir());
    sexton(&env, &["delete", &id, "--yes"]).assert_code(0);
    assert!(!transcript.exists());
    // As if it had been killed when all had moved and nothing had been said of it yet.
    let journal = env.data_dir().join("journal.jsonl");
    let text = read(&journal);
    fs::write(&journal, format!("{}\n", text.lines().next().unwrap())).unwrap();
    assert!(mended(&env, "journal").contains("interrupted"));
    assert!(!transcript.exists());
    assert!(sexton(&env, &["trash", "list"]).stdout.contains(&id));
}

#[test]
fn every_config_directory_is_asked_for_its_hooks() {
    let env = healthy();
    let profile = env.profile_dir("work");
    Transcript::new(&session_id(14)).conversation("a", "b").write(&profile);
    let found = findings(&env, "hooks", &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let command = found[0]["command"].as_str().unwrap();
    assert_eq!(
        command,
        format!("sexton hooks install --config-dir {}", profile.display())
    );
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    sexton(&env, &words).assert_clean();
    assert_eq!(findings(&env, "hooks", &[]), [] as [serde_json::Value; 0]);
}

#[test]
fn a_register_file_that_may_not_be_read_is_a_finding() {
    let env = healthy();
    let file = env.register_dir().join(format!("{}.jsonl", session_id(1)));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    // Where the tests were built nobody may not be able to look.
    let program = env.root().join("bin/sexton");
    assert!(
        std::process::Command::new("cp")
            .arg(SEXTON)
            .arg(&program)
            .status()
            .unwrap()
            .success()
    );
    let run = env
        .run_as_nobody(&program, ["doctor"])
        .unwrap_or_else(|| env.run(&program, ["doctor"]));
    run.assert_code(3);
    assert!(
        run.stdout.contains(&format!("{}.jsonl", session_id(1))) && run.stdout.contains("Permission denied"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_full_disk_is_a_finding() {
    let Some(small) = sexton_testkit::SmallFilesystem::mount(8 << 20) else {
        return;
    };
    let mut env = healthy();
    env.set("XDG_DATA_HOME", small.path());
    let found = findings(&env, "space", &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0]["what"].as_str().unwrap().contains("are free where"),
        "{found:#?}"
    );
}
