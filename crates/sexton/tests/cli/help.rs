//! What `--help` says.

use sexton_testkit::TestEnv;

use crate::support::sexton;

const COMMANDS: [&[&str]; 10] = [
    &[],
    &["list"],
    &["show"],
    &["log"],
    &["mark"],
    &["name"],
    &["sweep"],
    &["prune"],
    &["demo"],
    &["register"],
];

#[test]
fn each_command_explains_itself_and_shows_how() {
    let env = TestEnv::new();
    for command in COMMANDS {
        let run = sexton(&env, &[command, &["--help"]].concat());
        run.assert_clean();
        assert!(run.stdout.contains("Examples:"), "{command:?}");
        let wide = run.stdout.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{command:?}");
    }
    // What stands beyond the first line of the explanation.
    for (command, words) in [
        ("list", "hidden and counted"),
        ("mark", "while nothing runs the session"),
        ("name", "outranks"),
        ("sweep", "more than a minute ago"),
        ("prune", "recorded first"),
        ("demo", "scratch home"),
    ] {
        let help = sexton(&env, &[command, "--help"]).stdout;
        let joined = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(words), "{help}");
    }
}

#[test]
fn a_command_that_lacks_its_subcommand_shows_its_help() {
    let env = TestEnv::new();
    let run = sexton(&env, &["register"]);
    run.assert_code(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("The register's plumbing"), "{}", run.stderr);
}

#[test]
fn nothing_is_written_by_asking() {
    let env = TestEnv::new();
    let before = env.picture();
    for arguments in [&["--help"][..], &["-h"], &["--version"], &["-V"], &["list", "-h"]] {
        sexton(&env, arguments).assert_clean();
    }
    before.assert_unchanged(&env.picture());
}

#[test]
fn as_people_read_it() {
    let env = TestEnv::new();
    // The program's own help grows with each command, and says nothing that they don't.
    for command in &COMMANDS[1..] {
        let help = sexton(&env, &[*command, &["--help"]].concat()).stdout;
        let own = help.split("\nGlobal options:").next().unwrap().to_owned();
        insta::assert_snapshot!(format!("help-{}", command.join("-")), own);
    }
}
