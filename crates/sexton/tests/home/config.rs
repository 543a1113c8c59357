//! `sexton config`

use sexton_testkit::TestEnv;

use crate::support::{document, read, sexton, stable};

#[test]
fn the_path_is_told_whether_there_is_a_file_or_not() {
    let mut env = TestEnv::new();
    let run = sexton(&env, &["config", "path"]);
    run.assert_clean();
    assert_eq!(stable(&env, &run.stdout), "/home/ada/.config/sexton/config.toml\n");
    assert!(!env.config_file().exists());
    env.set("XDG_CONFIG_HOME", env.root().join("elsewhere"));
    let run = sexton(&env, &["config", "path"]);
    assert_eq!(stable(&env, &run.stdout), "/test/elsewhere/sexton/config.toml\n");
}

#[test]
fn values_are_shown_with_where_they_came_from() {
    let mut env = TestEnv::new();
    env.write(
        &env.config_file(),
        "tombstone_dir = \"~/stones\"\n[vault]\nlimit = \"20 GiB\"\n",
    );
    env.set("SEXTON_REGISTER_DIR", "/from/environment");
    let run = sexton(&env, &["config", "show", "--tombstone-dir", "relative"]);
    run.assert_clean();
    for line in [
        "register_dir = \"/from/environment\"  # environment SEXTON_REGISTER_DIR",
        "tombstone_dir = \"/home/ada/relative\"  # option --tombstone-dir",
        "limit = \"20 GiB\"  # file, line 3",
        "older_than = \"30d\"  # default",
    ] {
        assert!(
            stable(&env, &run.stdout).lines().any(|shown| shown == line),
            "{line}:\n{}",
            run.stdout
        );
    }
    let json = document(&sexton(&env, &["config", "show", "--json"]));
    let vault = &json["settings"].as_array().unwrap()[5];
    assert_eq!(
        (vault["key"].as_str(), vault["source"].as_str()),
        (Some("vault.limit"), Some("file"))
    );
    assert_eq!(
        (vault["value"].as_str(), vault["default"].as_str()),
        (Some("\"20 GiB\""), Some("\"5 GiB\""))
    );
    let variables = json["variables"].as_array().unwrap();
    assert!(variables.iter().any(|variable| variable["name"] == "CLAUDE_CONFIG_DIR"));
    let run = sexton(&env, &["config", "show", "--environment"]);
    assert!(run.stdout.contains("# NO_COLOR "), "{}", run.stdout);
}

#[test]
fn the_register_is_where_the_file_says_for_commands_and_hooks_alike() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "register_dir = \"~/mine\"\n");
    let id = sexton_testkit::session_id(7);
    let payload =
        format!(r#"{{"session_id":"{id}","source":"startup","cwd":"/work","hook_event_name":"SessionStart"}}"#);
    env.run_with_input(crate::support::SEXTON, ["hook", "session-start"], payload)
        .assert_clean();
    assert!(env.home().join(format!("mine/{id}.jsonl")).is_file());
    assert!(!env.register_dir().exists());
    let listed = document(&sexton(&env, &["list", "--all", "--json"]));
    assert_eq!(listed["sessions"][0]["id"], id.as_str());
}

#[test]
fn a_hook_records_whatever_the_file_looks_like() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "register_dir = [\n\u{0}");
    let id = sexton_testkit::session_id(7);
    let payload = format!(r#"{{"session_id":"{id}","source":"startup","cwd":"/work"}}"#);
    env.run_with_input(crate::support::SEXTON, ["hook", "session-start"], payload)
        .assert_clean();
    assert!(env.register_dir().join(format!("{id}.jsonl")).is_file());
}

#[test]
fn a_mistake_stops_commands_and_an_unknown_key_does_not() {
    let env = TestEnv::new();
    env.write(&env.config_file(), "[vault]\nlimits = 3\n");
    let run = sexton(&env, &["list"]);
    run.assert_code(0);
    insta::assert_snapshot!(stable(&env, &run.stderr), @"
    no sessions found
    warning: /home/ada/.config/sexton/config.toml:2:1: unknown key `vault.limits`; did you mean `vault.limit`?
    ");

    env.write(&env.config_file(), "[vault]\nlimit = \"much\"\n");
    let run = sexton(&env, &["list"]);
    run.assert_code(1);
    insta::assert_snapshot!(stable(&env, &run.stderr), @r#"
    error: /home/ada/.config/sexton/config.toml:2:9: `vault.limit`: expected a size such as `"20 GiB"`, found `much`

    hint: `sexton config edit` opens it, `sexton config show` lists all that is wrong with it
    "#);
    let run = sexton(&env, &["config", "show"]);
    run.assert_code(3);
    assert!(run.stdout.contains("limit = \"5 GiB\"  # default"));
    insta::assert_snapshot!(stable(&env, &run.stderr), @r#"error: /home/ada/.config/sexton/config.toml:2:9: `vault.limit`: expected a size such as `"20 GiB"`, found `much`"#);
}

#[test]
fn editing_begins_with_a_file_that_explains_itself_and_ends_with_a_look_at_it() {
    let mut env = TestEnv::new();
    let editor = env.install_program("my editor", "#!/bin/sh\necho 'tool_output = 1' >> \"$2\"\n");
    env.set("EDITOR", format!("'{}' --wait", editor.display()));
    let dry = sexton(&env, &["config", "edit", "--dry-run"]);
    dry.assert_clean();
    assert!(dry.stdout.contains("would create "), "{}", dry.stdout);
    assert!(!env.config_file().exists());

    let run = sexton(&env, &["config", "edit"]);
    run.assert_code(3);
    let text = read(&env.config_file());
    assert!(
        text.contains("\n# limit = \"5 GiB\"\n") && text.ends_with("\ntool_output = 1\n"),
        "{text}"
    );
    let line = text.lines().count();
    assert!(
        run.stderr.contains(&format!("config.toml:{line}:15: ")),
        "{}",
        run.stderr
    );
    sexton(&env, &["config", "edit"]).assert_code(3);
    assert!(read(&env.config_file()).ends_with("\ntool_output = 1\ntool_output = 1\n"));

    env.set("VISUAL", "false");
    let run = sexton(&env, &["config", "edit"]);
    run.assert_code(1);
    assert!(
        run.stderr.contains("`false` ended with exit status: 1"),
        "{}",
        run.stderr
    );
}
