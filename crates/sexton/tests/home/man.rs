//! `sexton man`

use std::process::Command;

use sexton::shell::manual::pages;
use sexton_testkit::TestEnv;

use crate::support::sexton;

#[test]
fn every_command_has_a_page_that_names_its_options() {
    let mut env = TestEnv::new();
    env.unset("HOME");
    let run = sexton(&env, &["man"]);
    run.assert_clean();
    assert!(run.stdout.contains(".TH SEXTON 1"), "{}", run.stdout);
    let run = sexton(&env, &["man", "hooks", "install"]);
    run.assert_clean();
    assert!(
        run.stdout.contains(r"\-\-dry\-run") && run.stdout.contains("sexton\\-hooks\\-install"),
        "{}",
        run.stdout
    );
    sexton(&env, &["man", "nothing"]).assert_code(2);
}

#[test]
fn a_formatter_has_nothing_to_complain_of() {
    if Command::new("groff").arg("--version").output().is_err() {
        return;
    }
    let env = TestEnv::new();
    for page in pages().unwrap() {
        let run = env.run_with_input("groff", ["-Kutf8", "-man", "-Tutf8", "-ww", "-z"], &page.text);
        run.assert_clean();
    }
}
