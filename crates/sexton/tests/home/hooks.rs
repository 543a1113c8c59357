//! `sexton hooks`

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use sexton_testkit::settings::{EDITABLE, REFUSED, WITH_OTHER_HOOKS};
use sexton_testkit::{Run, TestEnv, session_id};

use crate::support::{SEXTON, document, read, sexton, stable};

fn settings(env: &TestEnv) -> PathBuf {
    env.config_dir().join("settings.json")
}

fn with_settings(text: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(&settings(&env), text);
    env
}

/// The commands that stand in a settings file for an event.
fn commands(env: &TestEnv, event: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(&read(&settings(env))).unwrap();
    let groups = value["hooks"][event].as_array().unwrap();
    let hooks = groups.iter().flat_map(|group| group["hooks"].as_array().unwrap());
    hooks.map(|hook| hook["command"].as_str().unwrap().to_owned()).collect()
}

/// Runs a hook's command as the client does: through a shell, with the payload on stdin.
fn as_the_client(env: &TestEnv, command: &str, payload: &str) -> Run {
    Run::of(env.command("sh").args(["-c", command]), payload.as_bytes())
}

#[test]
fn what_is_installed_records_sessions() {
    let env = TestEnv::new();
    let run = sexton(&env, &["hooks", "install"]);
    run.assert_clean();
    assert_eq!(
        stable(&env, &run.stdout),
        "made /home/ada/.claude/settings.json with the hooks\n"
    );
    let id = session_id(3);
    let payload = format!(r#"{{"session_id":"{id}","source":"startup","cwd":"/work","reason":"clear"}}"#);
    for event in ["SessionStart", "SessionEnd"] {
        let command = commands(&env, event).pop().unwrap();
        let run = as_the_client(&env, &command, &payload);
        run.assert_clean();
        assert_eq!(run.stdout, "");
    }
    let log = document(&sexton(&env, &["log", &id, "--json"]));
    let kinds: Vec<_> = log["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["started", "ended"]);

    sexton(&env, &["hooks", "uninstall"]).assert_clean();
    assert!(!settings(&env).exists());
}

#[test]
fn settings_are_as_before_when_the_hooks_are_gone() {
    for text in EDITABLE {
        let env = with_settings(text);
        let before = env.picture().without_times();
        sexton(&env, &["hooks", "install"]).assert_clean();
        assert_eq!(commands(&env, "SessionEnd"), [format!("'{SEXTON}' hook session-end")]);
        let installed = read(&settings(&env));
        let again = sexton(&env, &["hooks", "install"]);
        again.assert_clean();
        assert!(again.stdout.ends_with("settings.json already\n"), "{}", again.stdout);
        assert_eq!(read(&settings(&env)), installed);
        sexton(&env, &["hooks", "uninstall"]).assert_clean();
        assert_eq!(read(&settings(&env)), *text);
        before.assert_unchanged(&env.picture().without_times());
    }
}

#[test]
fn what_is_no_json_is_refused_and_left() {
    for text in REFUSED {
        let env = with_settings(text);
        for what in ["install", "uninstall"] {
            let run = sexton(&env, &["hooks", what]);
            run.assert_code(1);
            assert_eq!(run.stdout, "");
            assert_eq!(read(&settings(&env)), *text);
        }
        assert_eq!(fs::read_dir(env.config_dir()).unwrap().count(), 1);
        sexton(&env, &["hooks", "status"]).assert_code(3);
    }
    let env = with_settings(sexton_testkit::settings::NOT_JSON);
    let run = sexton(&env, &["hooks", "install"]);
    insta::assert_snapshot!(stable(&env, &run.stderr), @"
    error: /home/ada/.claude/settings.json:2:3: key must be a string

    hint: the file was left as it is; mend it, then run the command again
    ");
}

#[test]
fn a_dry_run_shows_a_diff_that_patch_understands() {
    let env = with_settings(WITH_OTHER_HOOKS);
    let run = sexton(&env, &["hooks", "install", "--dry-run"]);
    run.assert_clean();
    insta::assert_snapshot!(stable(&env, &run.stdout), @r#"
    --- /home/ada/.claude/settings.json
    +++ /home/ada/.claude/settings.json
    @@ -8,10 +8,22 @@
       "aSettingOfTomorrow": {"nested": [1, 2.50, 1e3, null]},
       "hooks": {
         "SessionStart": [
    -      {"matcher": "startup", "hooks": [{"type": "command", "command": "/usr/local/bin/other start"}]}
    +      {"matcher": "startup", "hooks": [{"type": "command", "command": "/usr/local/bin/other start"}]},
    +      {"hooks": [{"type": "command", "command": "'/usr/bin/sexton' hook session-start"}]}
         ],
         "PreToolUse": [
           {"matcher": "Bash", "hooks": [{"type": "command", "command": "check \"$CLAUDE_PROJECT_DIR\""}]}
    +    ],
    +    "SessionEnd": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "'/usr/bin/sexton' hook session-end",
    +            "timeout": 10
    +          }
    +        ]
    +      }
         ]
       },
       "cleanupPeriodDays": 30
    "#);
    assert_eq!(read(&settings(&env)), WITH_OTHER_HOOKS);
    let json = document(&sexton(&env, &["hooks", "install", "--dry-run", "--json"]));
    assert_eq!(
        (&json["dry_run"], json["effects"].as_array().unwrap().len()),
        (&true.into(), 2)
    );

    if Command::new("patch").arg("--version").output().is_ok() {
        let patched = Run::of(env.command("patch").args(["-p0", "-s", "-d", "/"]), &run.stdout_bytes);
        patched.assert_code(0);
        let patched = read(&settings(&env));
        fs::write(settings(&env), WITH_OTHER_HOOKS).unwrap();
        sexton(&env, &["hooks", "install"]).assert_clean();
        assert_eq!(read(&settings(&env)), patched);
    }
}

#[test]
fn a_program_that_moved_is_noticed_and_followed() {
    let env = with_settings(WITH_OTHER_HOOKS);
    let elsewhere = env.home().join("it's here/sexton");
    fs::create_dir(elsewhere.parent().unwrap()).unwrap();
    // A hard link: another place for the same program.
    fs::hard_link(SEXTON, &elsewhere)
        .or_else(|_| fs::copy(SEXTON, &elsewhere).map(drop))
        .unwrap();
    env.run(&elsewhere, ["hooks", "install"]).assert_clean();
    let command = commands(&env, "SessionStart").pop().unwrap();
    as_the_client(
        &env,
        &command,
        &format!(r#"{{"session_id":"{}","source":"startup","cwd":"/"}}"#, session_id(1)),
    )
    .assert_clean();
    fs::remove_file(&elsewhere).unwrap();

    let run = sexton(&env, &["hooks", "status"]);
    run.assert_code(0);
    insta::assert_snapshot!(stable(&env, &run.stdout), @"
    SETTINGS                 HOOKS  PROGRAM
    ~/.claude/settings.json  dead   /home/ada/it's here/sexton
    ");
    assert!(
        run.stderr.contains("`sexton hooks install` puts it right"),
        "{}",
        run.stderr
    );
    sexton(&env, &["hooks", "install"]).assert_clean();
    assert_eq!(
        commands(&env, "SessionStart")[1..],
        [format!("'{SEXTON}' hook session-start")]
    );
    let run = sexton(&env, &["hooks", "status"]);
    run.assert_clean();
    insta::assert_snapshot!(stable(&env, &run.stdout), @"
    SETTINGS                 HOOKS      PROGRAM
    ~/.claude/settings.json  installed  /usr/bin/sexton
    ");
}

#[test]
fn claudewheels_hooks_are_said() {
    let text = r#"{"hooks": {"SessionStart": [{"matcher": "", "hooks": [{"type": "command", "command": "/home/a/.claudewheel/scripts/hook-session-start"}]}]}, "disableAllHooks": true}"#;
    let env = with_settings(text);
    let run = sexton(&env, &["hooks", "install", "--force"]);
    run.assert_code(0);
    insta::assert_snapshot!(stable(&env, &run.stderr), @"
    warning: /home/ada/.claude/settings.json: `disableAllHooks` is set, so that no hook runs
    warning: /home/ada/.claude/settings.json: `/home/a/.claudewheel/scripts/hook-session-start` of claudewheel records the same sessions into the same register, so that each event is there twice; remove one of the two
    ");
    let json = document(&sexton(&env, &["hooks", "status", "--json"]));
    assert_eq!(json["hooks"][0]["state"], "disabled");
    assert_eq!(json["hooks"][0]["disturbances"].as_array().unwrap().len(), 2);
    assert_eq!(json["hooks"][0]["programs"], serde_json::json!([SEXTON]));
}

#[test]
fn what_records_sessions_already_needs_no_entries() {
    for (text, state) in [
        (r#"{"enabledPlugins": {"sexton@here": true}}"#, "plugin"),
        (
            r#"{"hooks": {"SessionStart": [{"hooks": [{"command": "/a/.claudewheel/scripts/hook-session-start"}]}]}}"#,
            "claudewheel",
        ),
    ] {
        let env = with_settings(text);
        let run = sexton(&env, &["hooks", "status"]);
        run.assert_clean();
        assert!(run.stdout.contains(state), "{}", run.stdout);
        let run = sexton(&env, &["hooks", "install"]);
        run.assert_clean();
        assert!(run.stdout.contains("settings.json as it is: "), "{}", run.stdout);
        assert_eq!(read(&settings(&env)), text);
        let run = sexton(&env, &["hooks", "install", "--force"]);
        run.assert_code(0);
        assert!(run.stderr.contains("each event is there twice"), "{}", run.stderr);
    }
}

#[test]
fn every_config_directory_gets_them_and_a_broken_one_stops_no_other() {
    let mut env = with_settings("{}\n");
    let work = env.home().join("work");
    env.write(&work.join("settings.json"), "{,}");
    env.set("CLAUDE_CONFIG_DIR", &work);
    let run = sexton(&env, &["hooks", "install"]);
    run.assert_code(3);
    assert!(
        stable(&env, &run.stderr).contains("/home/ada/work/settings.json:1:2: "),
        "{}",
        run.stderr
    );
    assert!(read(&settings(&env)).contains("hook session-start"));
    let json = document(&sexton(&env, &["hooks", "status", "--json"]));
    assert_eq!(
        (
            json["hooks"].as_array().unwrap().len(),
            json["problems"].as_array().unwrap().len()
        ),
        (1, 1)
    );
    let only = env.config_dir();
    let run = sexton(&env, &["hooks", "uninstall", "--config-dir", only.to_str().unwrap()]);
    run.assert_clean();
    assert_eq!(read(&settings(&env)), "{}\n");
}

#[test]
fn a_project_has_its_own() {
    let env = TestEnv::new();
    let project = env.home().join("project");
    fs::create_dir(&project).unwrap();
    let run = |what: &str| {
        Run::of(
            env.command(SEXTON)
                .current_dir(&project)
                .args(["hooks", what, "--scope", "project"]),
            b"",
        )
    };
    run("install").assert_clean();
    let file = project.join(".claude/settings.local.json");
    assert!(read(&file).contains("hook session-end"));
    assert!(
        run("status").stdout.contains("~/project/.claude/settings.local.json"),
        "{}",
        run("status").stdout
    );
    run("uninstall").assert_clean();
    assert!(!file.exists() && !settings(&env).exists());
}

#[test]
fn a_symlink_stays_one_and_modes_are_kept() {
    let env = TestEnv::new();
    let dotfile = env.home().join("dotfiles/claude.json");
    env.write(&dotfile, "{}");
    fs::set_permissions(&dotfile, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(env.config_dir()).unwrap();
    symlink(&dotfile, settings(&env)).unwrap();
    sexton(&env, &["hooks", "install"]).assert_clean();
    assert!(settings(&env).is_symlink());
    assert!(read(&dotfile).contains("hook session-start"));
    assert_eq!(fs::metadata(&dotfile).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(read(&env.config_dir().join("settings.json.sexton-backup")), "{}");
}

#[test]
fn a_directory_that_may_not_be_written_is_said() {
    let env = with_settings("{}\n");
    fs::set_permissions(env.config_dir(), fs::Permissions::from_mode(0o500)).unwrap();
    let run = env
        .run_as_nobody(SEXTON, ["hooks", "install"])
        .unwrap_or_else(|| sexton(&env, &["hooks", "install"]));
    // Where the test's own build directory is closed to others the program can't be started, which says nothing about it.
    if run.code == Some(126) {
        return;
    }
    run.assert_code(1);
    assert!(run.stderr.contains("Permission denied"), "{}", run.stderr);
    assert_eq!(read(&settings(&env)), "{}\n");
}

#[test]
fn an_empty_file_is_taken_for_empty_settings_and_is_empty_again() {
    for blank in ["", "\n", " \r\n"] {
        let env = with_settings(blank);
        sexton(&env, &["hooks", "install"]).assert_clean();
        assert!(serde_json::from_str::<serde_json::Value>(&read(&settings(&env))).is_ok());
        assert!(sexton(&env, &["hooks", "status"]).stdout.contains("installed"));
        sexton(&env, &["hooks", "uninstall"]).assert_clean();
        assert_eq!(read(&settings(&env)), blank);
        assert_eq!(fs::read_dir(env.config_dir()).unwrap().count(), 1);
    }
}

#[test]
fn several_at_once_install_once() {
    let text = "{\n  \"model\": \"opus\"\n}\n";
    let env = with_settings(text);
    let mut install = env.command(SEXTON);
    install.args(["hooks", "install"]);
    let children: Vec<_> = (0..8).map(|_| install.spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let installed = read(&settings(&env));
    assert_eq!(installed.matches("hook session-start").count(), 1, "{installed}");
    assert_eq!(installed.matches("hook session-end").count(), 1, "{installed}");
    sexton(&env, &["hooks", "uninstall"]).assert_clean();
    assert_eq!(read(&settings(&env)), text);
}

#[test]
fn the_plugin_brings_the_same_hooks_and_the_programs_version() {
    let plugin = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugin");
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&read(&plugin.join(name))).unwrap();
    let env = TestEnv::new();
    sexton(&env, &["hooks", "install"]).assert_clean();
    let installed = read(&settings(&env)).replace(&format!("'{SEXTON}'"), "sexton");
    let installed: serde_json::Value = serde_json::from_str(&installed).unwrap();
    assert_eq!(json("hooks/hooks.json")["hooks"], installed["hooks"]);
    assert_eq!(json(".claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
    // The command that lists the sessions is one that the program has.
    let command = read(&plugin.join("commands/sessions.md"));
    let line = command.lines().find_map(|line| line.strip_prefix("!`sexton ")).unwrap();
    let words: Vec<&str> = line
        .trim_end_matches('`')
        .split(' ')
        .filter(|word| *word != "$ARGUMENTS")
        .collect();
    sexton(&env, &words).assert_code(0);
}
