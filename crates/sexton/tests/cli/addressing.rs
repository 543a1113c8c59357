//! From what a person types to the session that is meant.

use sexton_testkit::register::{named, started, write};
use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{now_ms, sexton, shown};

const TWIN_A: &str = "abcdef01-0000-4000-8000-000000000001";
const TWIN_B: &str = "abcdef01-0000-4000-9000-000000000001";

fn machine() -> TestEnv {
    let env = TestEnv::new();
    for (id, name) in [(TWIN_A, "parser"), (TWIN_B, "twice"), (&session_id(7), "twice")] {
        let at = now_ms() - 5_000;
        write(&env.register_dir(), id, &[started(id, at), named(id, at, name)]);
    }
    env
}

#[track_caller]
fn assert_means(env: &TestEnv, text: &str, id: &str) {
    assert_eq!(shown(env, text)["id"], id);
}

#[track_caller]
fn refusal(env: &TestEnv, text: &str) -> String {
    let before = env.picture();
    for command in [
        &["show", text][..],
        &["log", text],
        &["mark", text, "done"],
        &["name", text, "x"],
    ] {
        let run = sexton(env, command);
        run.assert_code(1);
        assert_eq!(run.stdout, "");
    }
    before.assert_unchanged(&env.picture());
    sexton(env, &["show", text]).stderr
}

#[test]
fn by_id_prefix_and_name() {
    let env = machine();
    assert_means(&env, TWIN_A, TWIN_A);
    assert_means(&env, &TWIN_A.to_uppercase(), TWIN_A);
    assert_means(&env, "abcdef01-0000-4000-8", TWIN_A);
    assert_means(&env, "ABCDEF01-0000-4000-9", TWIN_B);
    assert_means(&env, "00000007", &session_id(7));
    assert_means(&env, "parser", TWIN_A);
}

#[test]
fn by_title() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .conversation("a", "b")
        .ai_title("Mend the parser")
        .write(&env.config_dir());
    assert_means(&env, "Mend the parser", &session_id(1));
}

#[test]
fn an_ambiguous_one_is_refused_with_all_it_could_be() {
    let env = machine();
    let stderr = refusal(&env, "abcdef01");
    assert!(stderr.contains(TWIN_A) && stderr.contains(TWIN_B), "{stderr}");
    let stderr = refusal(&env, "twice");
    assert!(stderr.contains(TWIN_B) && stderr.contains(&session_id(7)), "{stderr}");
}

#[test]
fn a_short_prefix_is_refused() {
    let env = machine();
    for short in ["0000000", "a", "", "abcdef0"] {
        let stderr = refusal(&env, short);
        assert!(stderr.contains("at least 8 characters"), "{stderr}");
    }
}

#[test]
fn an_unknown_one_is_refused_with_the_nearest() {
    let env = machine();
    let stderr = refusal(&env, "abcdef02");
    assert!(stderr.contains(TWIN_A) && !stderr.contains(&session_id(7)), "{stderr}");
    let stderr = refusal(&env, &session_id(8));
    assert!(stderr.contains(&session_id(7)), "{stderr}");
    let stderr = refusal(&env, "pars");
    assert!(stderr.contains(TWIN_A), "{stderr}");
    let stderr = refusal(&env, "nothing like it");
    assert!(stderr.contains("sexton list --all"), "{stderr}");
    // Neither is a way out of the directory.
    refusal(&env, "../../../../etc/passwd");
}

#[test]
fn short_ids_in_the_list_can_be_typed() {
    let env = machine();
    let list = sexton(&env, &["list"]).stdout;
    let ids: Vec<&str> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(ids.len(), 3);
    for id in ids {
        assert!(shown(&env, id)["id"].as_str().unwrap().starts_with(id));
    }
}

/// A machine with a session of which only a copy is left, one of which less is left, and one that only the register knows.
fn remains() -> TestEnv {
    let env = TestEnv::new();
    let plant = |number| {
        Transcript::new(&session_id(number))
            .at_ms(now_ms() - 3_600_000)
            .conversation("a", "b")
            .ai_title("Mend the parser")
            .write(&env.config_dir())
    };
    let copied = plant(0xaaaa_0001);
    sexton(&env, &["keep", "add", "aaaa0001"]).assert_code(0);
    std::fs::remove_file(copied).unwrap();
    env.write(&env.config_file(), "vault.policy = 'off'\n");
    let gone = plant(0xbbbb_0002);
    sexton(&env, &["list"]).assert_code(0);
    std::fs::remove_file(gone).unwrap();
    let id = session_id(0xcccc_0003);
    let at = now_ms() - 5_000_000;
    write(&env.register_dir(), &id, &[started(&id, at), named(&id, at, "parser")]);
    assert_eq!(crate::support::listed_ids(&env, &["--all"]).len(), 3);
    env
}

#[test]
fn what_a_list_shows_is_there_for_every_command() {
    for prefix in ["aaaa0001", "bbbb0002", "cccc0003"] {
        let env = remains();
        let title = crate::support::listed(&env, &["--all"])
            .into_iter()
            .find(|session| session["id"].as_str().unwrap().starts_with(prefix))
            .unwrap()["title"]
            .clone();
        sexton(&env, &["log", prefix]).assert_code(0);
        sexton(&env, &["mark", prefix, "on-hold", "--note", "later"]).assert_clean();
        sexton(&env, &["name", prefix, "lexer"]).assert_clean();
        let shown = shown(&env, prefix);
        assert_eq!((&shown["name"], &shown["state"]), (&"lexer".into(), &"on-hold".into()));
        // What is known of its conversation is no less for that.
        assert_eq!(
            (&shown["title"], shown["missing_since"].is_string()),
            (&title, prefix != "cccc0003")
        );
    }
    let env = remains();
    // Where stamps are lost, only the catalogue knows the one without a copy.
    std::fs::remove_file(env.data_dir().join("missing.json")).unwrap();
    for (prefix, command, why, next) in [
        ("aaaa0001", "resume", "no transcript", "sexton restore"),
        ("aaaa0001", "archive", "a copy is left", "sexton restore"),
        ("bbbb0002", "archive", "no copy was kept", "sexton mark"),
        ("cccc0003", "archive", "only the register knows it", "sexton mark"),
        ("cccc0003", "delete", "only the register knows it", "sexton mark"),
    ] {
        let run = sexton(&env, &[command, prefix]);
        run.assert_code(1);
        assert!(
            run.stderr.contains(why) && run.stderr.contains(next),
            "{command} {prefix}: {run:#?}"
        );
    }
}

#[test]
fn a_name_is_enough_where_nothing_is_destroyed_and_told_apart_where_something_is() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .at_ms(now_ms() - 3_600_000)
        .conversation("a", "b")
        .write(&env.config_dir());
    sexton(&env, &["name", &session_id(1), "import-fix"]).assert_clean();
    for command in [
        &["keep", "add", "import-fix"][..],
        &["keep", "status", "import-fix"],
        &["keep", "verify", "import-fix"],
        &["keep", "earlier", "import-fix"],
    ] {
        sexton(&env, command).assert_code(0);
    }
    for command in [&["archive", "import-fix"][..], &["delete", "import-fix", "--yes"]] {
        let run = sexton(&env, command);
        run.assert_code(1);
        assert!(
            run.stderr.contains("only ids are taken") && run.stderr.contains(&session_id(1)),
            "{run:#?}"
        );
    }
    sexton(&env, &["keep", "drop", "import-fix", "--yes"]).assert_code(1);
    sexton(&env, &["archive", &session_id(1)]).assert_clean();
    sexton(&env, &["restore", "import-fix"]).assert_clean();
}
