//! The output that stands in the documentation is the program's own.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use sexton_testkit::register::{started, write};
use sexton_testkit::{RegistryRecord, TestEnv, dead_pid, session_id};

use crate::support::{read, sexton, stable};

/// Compares the block `name` of a page with `text`, or writes it there if the tests run with `SEXTON_BLESS=1`.
#[track_caller]
fn assert_block(page: &str, name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let content = read(&path);
    let begin = format!("<!-- output: {name} -->\n");
    let start = content
        .find(&begin)
        .unwrap_or_else(|| panic!("{page} has no block `{name}`"))
        + begin.len();
    let end = start + content[start..].find("<!-- end -->").unwrap();
    if content[start..end] == *text {
        return;
    }
    assert!(
        std::env::var_os("SEXTON_BLESS").is_some(),
        "docs/{page}: `{name}` should be\n{text}"
    );
    fs::write(&path, format!("{}{text}{}", &content[..start], &content[end..])).unwrap();
}

/// Text as a block of code.
fn indented(text: &str) -> String {
    let mut block = String::from("\n");
    for line in text.lines() {
        let _ = writeln!(block, "{}", format!("    {line}").trim_end());
    }
    block.push('\n');
    block
}

#[test]
fn configuration() {
    let env = TestEnv::new();
    let shown = sexton(&env, &["config", "show"]).stdout;
    assert_block("configuration.md", "show", &indented(&stable(&env, &shown)));
    let rows = sexton::configuration::variables::VARIABLES.iter();
    let rows: Vec<String> = rows
        .map(|variable| format!("| `{}` | {} |\n", variable.name, variable.about))
        .collect();
    assert_block(
        "configuration.md",
        "variables",
        &format!("\n| variable | what it does |\n|---|---|\n{}\n", rows.concat()),
    );
}

#[test]
fn hooks() {
    let env = TestEnv::new();
    sexton(&env, &["hooks", "install"]).assert_clean();
    let text = read(&env.config_dir().join("settings.json"));
    assert_block("hooks.md", "install", &indented(&stable(&env, &text)));
}

#[test]
fn doctor() {
    let env = TestEnv::new();
    env.install_program("claude", "#!/bin/sh\n");
    env.write(&env.config_dir().join("settings.json"), "{}\n");
    RegistryRecord::with_pid(dead_pid(), &session_id(1)).write(&env.config_dir());
    let id = session_id(0x3f8a_21c4);
    let file = write(&env.register_dir(), &id, &[started(&id, 1_000)]);
    fs::write(&file, format!("{}{{\"format_version\":1,\n", read(&file))).unwrap();
    let run = sexton(&env, &["doctor"]);
    run.assert_code(3);
    let text = format!("$ sexton doctor\n{}{}", run.stdout, run.stderr);
    assert_block("doctor.md", "doctor", &indented(&stable(&env, &text)));
}
