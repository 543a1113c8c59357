//! `sexton config`

use std::fs;
use std::path::Path;

use regex::Regex;
use sexton::configuration::variables::VARIABLES;
use sexton_testkit::register::{named, started, write};
use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{SEXTON, document, read, sexton, stable};

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
    let id = session_id(7);
    let payload =
        format!(r#"{{"session_id":"{id}","source":"startup","cwd":"/work","hook_event_name":"SessionStart"}}"#);
    env.run_with_input(SEXTON, ["hook", "session-start"], payload)
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
    let id = session_id(7);
    let payload = format!(r#"{{"session_id":"{id}","source":"startup","cwd":"/work"}}"#);
    env.run_with_input(SEXTON, ["hook", "session-start"], payload)
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

/// A check that a key in the file changes what it says, for each key.
const KEYS: &[(&str, fn())] = &[
    ("config_dirs", config_dirs),
    ("register_dir", register_dir),
    ("tombstone_dir", tombstone_dir),
    ("archive_dir", archive_dir),
    ("vault.policy", vault_policy),
    ("vault.limit", vault_limit),
    ("trash.older_than", trash_older_than),
    ("index.tool_output", index_tool_output),
];

#[test]
fn every_key_changes_what_it_says() {
    let shown = document(&sexton(&TestEnv::new(), &["config", "show", "--json"]));
    let settings = shown["settings"].as_array().unwrap().iter();
    let keys: Vec<&str> = settings.map(|setting| setting["key"].as_str().unwrap()).collect();
    assert_eq!(keys, KEYS.iter().map(|(key, _)| *key).collect::<Vec<_>>());
    for (_, check) in KEYS {
        check();
    }
}

/// A machine with one finished session of a long time ago.
fn machine() -> (TestEnv, String) {
    let env = TestEnv::new();
    let id = session_id(7);
    Transcript::new(&id)
        .conversation("a prompt", "an answer")
        .write(&env.config_dir());
    (env, id)
}

fn configure(env: &TestEnv, text: &str) {
    env.write(&env.config_file(), text);
}

fn lists(env: &TestEnv, id: &str, further: &[&str]) -> bool {
    let run = sexton(env, &[&["list", "--all", "--json"], further].concat());
    let sessions = document(&run)["sessions"].as_array().unwrap().clone();
    sessions.iter().any(|session| session["id"] == id)
}

fn config_dirs() {
    let env = TestEnv::new();
    let id = session_id(7);
    Transcript::new(&id)
        .conversation("a", "b")
        .write(&env.home().join("other"));
    assert!(!lists(&env, &id, &[]));
    configure(&env, "config_dirs = [\"~/other\"]\n");
    assert!(lists(&env, &id, &[]));
}

fn register_dir() {
    let env = TestEnv::new();
    let id = session_id(7);
    write(
        &env.home().join("mine"),
        &id,
        &[started(&id, 1_000), named(&id, 2_000, "a name")],
    );
    assert!(!lists(&env, &id, &[]));
    configure(&env, "register_dir = \"~/mine\"\n");
    assert!(lists(&env, &id, &[]));
}

fn tombstone_dir() {
    let (env, id) = machine();
    env.write(&env.home().join("stones/.deleted"), format!("{id}\n"));
    assert!(lists(&env, &id, &[]));
    configure(&env, "tombstone_dir = \"~/stones\"\n");
    assert!(!lists(&env, &id, &[]) && lists(&env, &id, &["--deleted"]));
}

fn archive_dir() {
    let (mut env, id) = machine();
    configure(&env, "archive_dir = \"~/old\"\n");
    let archived = |env: &TestEnv, directory: &str| env.home().join(directory).join(format!("{id}.jsonl")).exists();
    sexton(&env, &["archive", &id]).assert_clean();
    assert!(archived(&env, "old") && lists(&env, &id, &["--archived"]));
    sexton(&env, &["restore", &id]).assert_clean();
    // The environment outranks the file, and an option both; what was put there is found there.
    env.set("SEXTON_ARCHIVE_DIR", env.home().join("older"));
    sexton(&env, &["archive", &id]).assert_clean();
    assert!(archived(&env, "older"));
    sexton(&env, &["restore", &id]).assert_clean();
    let oldest = env.home().join("oldest");
    let option = ["--archive-dir", oldest.to_str().unwrap()];
    sexton(&env, &[&["archive", &id], &option[..]].concat()).assert_clean();
    assert!(archived(&env, "oldest") && lists(&env, &id, &["--archived", option[0], option[1]]));
    sexton(&env, &[&["restore", &id], &option[..]].concat()).assert_clean();
}

/// Whether the vault gets a copy within a few looks.
fn is_copied(env: &TestEnv, id: &str) -> bool {
    (0..50).any(|_| {
        sexton(env, &["list"]).assert_code(0);
        sexton(env, &["keep", "status"]).stdout.contains(id)
    })
}

fn vault_policy() {
    let (env, id) = machine();
    configure(&env, "vault.policy = \"off\"\n");
    for _ in 0..3 {
        sexton(&env, &["list"]).assert_code(0);
    }
    assert!(!sexton(&env, &["keep", "status"]).stdout.contains(&id));
    configure(&env, "vault.policy = \"all\"\n");
    assert!(is_copied(&env, &id));
}

fn vault_limit() {
    let (env, id) = machine();
    configure(&env, "vault.limit = 0\n");
    let is_told = |_: usize| sexton(&env, &["list"]).stderr.contains("the vault is full");
    assert!((0..50).any(is_told));
    assert!(!sexton(&env, &["keep", "status"]).stdout.contains(&id));
    configure(&env, "vault.limit = \"1 MiB\"\n");
    assert!(is_copied(&env, &id));
}

fn trash_older_than() {
    let (env, id) = machine();
    sexton(&env, &["delete", &id, "--yes"]).assert_code(0);
    // As if it had been two years ago.
    let trash = env.data_dir().join("trash");
    let generation = fs::read_dir(&trash).unwrap().next().unwrap().unwrap().path();
    let manifest = generation.join("manifest.jsonl");
    let at = Regex::new(r#""at":"(\d{4})"#).unwrap();
    let earlier = |found: &regex::Captures<'_>| format!("\"at\":\"{}", found[1].parse::<u32>().unwrap() - 2);
    fs::write(&manifest, at.replace(&read(&manifest), earlier).as_ref()).unwrap();
    let takes = |env: &TestEnv| sexton(env, &["trash", "empty", "--dry-run"]).stdout.contains(&id);
    assert!(takes(&env));
    configure(&env, "trash.older_than = \"200w\"\n");
    assert!(!takes(&env));
    configure(&env, "trash.older_than = \"90w\"\n");
    assert!(takes(&env));
}

fn index_tool_output() {
    for (text, code) in [("index.tool_output = false\n", 1), ("", 0)] {
        let env = TestEnv::new();
        Transcript::new(&session_id(7))
            .conversation("a prompt", "an answer")
            .tool("Bash", "ls", "extraordinary output")
            .write(&env.config_dir());
        configure(&env, text);
        sexton(&env, &["search", "extraordinary"]).assert_code(code);
    }
}

#[test]
fn every_variable_that_the_code_asks_for_is_listed() {
    let asked = Regex::new(
        r#"(?:\.get|\.text|\.directory|xdg_directory)\(\s*"([A-Z_]+)"|"(XDG_[A-Z_]+|CLAUDEWHEEL_[A-Z_]+|SEXTON_[A-Z_]+)""#,
    )
    .unwrap();
    let mut found = 0;
    let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                // Tests and the kit for them set variables, and their own.
                if !["testkit", "tests", "benches", "target"].contains(&name) {
                    directories.push(path);
                }
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") || name == "tests.rs" {
                continue;
            }
            let text = read(&path);
            let code = text.split("#[cfg(test)]").next().unwrap();
            for name in asked.captures_iter(code).flat_map(|found| {
                let groups: Vec<String> = found
                    .iter()
                    .skip(1)
                    .flatten()
                    .map(|group| group.as_str().replace('"', ""))
                    .collect();
                groups
            }) {
                for name in name.split(", ").filter(|name| !name.is_empty()) {
                    found += 1;
                    assert!(
                        VARIABLES.iter().any(|variable| variable.name == name),
                        "{} asks for `{name}`, which no page lists",
                        path.display()
                    );
                }
            }
        }
    }
    assert!(found > VARIABLES.len(), "the code was not looked at");
}

#[test]
fn path_and_edit_answer_in_json_and_text_for_other_programs_does_not() {
    let env = TestEnv::new();
    let path = sexton(&env, &["config", "path", "--json"]);
    path.assert_clean();
    let document: serde_json::Value = serde_json::from_str(&path.stdout).unwrap();
    assert_eq!(document["file"], env.config_file().to_str().unwrap());
    assert_eq!(document["exists"], false);
    let dry = sexton(&env, &["config", "edit", "--dry-run", "--json"]);
    dry.assert_clean();
    let document: serde_json::Value = serde_json::from_str(&dry.stdout).unwrap();
    assert_eq!(
        (&document["dry_run"], document["effects"].as_array().unwrap().is_empty()),
        (&true.into(), false)
    );
    for command in [&["completions", "bash", "--json"][..], &["man", "--json"]] {
        let run = sexton(&env, command);
        run.assert_code(2);
        assert_eq!(run.stdout, "");
    }
}
