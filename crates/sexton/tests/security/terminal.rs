//! Names, titles and paths drive no terminal, whichever command shows them.

use sexton_testkit::register::{self, named, started};
use sexton_testkit::{RegistryRecord, Run, TestEnv, Transcript, dead_pid, session_id};

use crate::sexton;

/// Clears the screen, sets the window's title, turns the direction of writing, rings, goes back, and is a C1 control.
const NASTY: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}evil\u{2066}\r\u{8}\u{9b}31m\u{85}";

#[track_caller]
fn assert_harmless(arguments: &[&str], run: &Run) {
    for output in [&run.stdout, &run.stderr] {
        let bad = output.chars().find(|&character| {
            character.is_control() && !matches!(character, '\n' | '\t')
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(bad, None, "{arguments:?}: {output:?}");
    }
}

#[test]
fn in_the_output_of_any_command() {
    let env = TestEnv::new();
    let id = session_id(1);
    let directory = format!("/home/dev/{NASTY}");
    Transcript::new(&id)
        .cwd(&directory)
        .custom_title(NASTY)
        .conversation(&format!("parser {NASTY}"), NASTY)
        .write(&env.config_dir());
    register::write(
        &env.register_dir(),
        &id,
        &[
            started(&id, 1_772_000_000_000).text("cwd", &directory),
            named(&id, 1_772_000_001_000, NASTY),
        ],
    );
    RegistryRecord::with_pid(dead_pid(), &session_id(2))
        .name(NASTY, "user")
        .write(&env.config_dir());
    env.write(&env.config_dir().join(format!("projects/-w/{NASTY}.jsonl")), "{}\n");
    env.write(&env.register_dir().join(format!("{NASTY}.jsonl")), "{}\n");
    env.write(&env.config_file(), format!("\"{}\" = 1\n", NASTY.escape_default()));
    for arguments in [
        &["list", "--all"][..],
        &["show", &id],
        &["log", &id],
        &["read", &id],
        &["search", "parser"],
        &["search", "--substring", "parser"],
        &["search", NASTY],
        &["mark", &id, "blocked", "--note", NASTY],
        &["name", &id, &format!("x{NASTY}")],
        &["show", NASTY],
        &["sweep"],
        &["prune", "--dry-run"],
        &["prune"],
        &["resume", "--print", &id],
        &["keep", "add", &id],
        &["keep", "status"],
        &["archive", &id, "--dry-run"],
        &["archive", &id],
        &["restore", &id],
        &["delete", &id, "--dry-run"],
        &["delete", &id, "--yes", "--yes-most"],
        &["trash", "list"],
        &["undo"],
        &["tombstone", "add", NASTY],
        &["config", "show"],
        &["doctor"],
    ] {
        assert_harmless(arguments, &sexton(&env, arguments));
    }
}
