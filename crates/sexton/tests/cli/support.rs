//! What the tests of all commands share.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sexton_sys::{Clock, SystemClock};
use sexton_testkit::{Run, TestEnv, register};

/// The program under test.
pub(crate) const SEXTON: &str = env!("CARGO_BIN_EXE_sexton");

/// Runs `sexton` with these arguments.
#[track_caller]
pub(crate) fn sexton(env: &TestEnv, arguments: &[&str]) -> Run {
    env.run(SEXTON, arguments)
}

/// The time that the program sees, in milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> i64 {
    SystemClock.now_ms()
}

/// The JSON document that a command printed.
#[track_caller]
pub(crate) fn document(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

/// The sessions that `sexton list --json` shows with these further arguments; nothing may go wrong.
#[track_caller]
pub(crate) fn listed(env: &TestEnv, arguments: &[&str]) -> Vec<Value> {
    let run = sexton(env, &[&["list", "--json"], arguments].concat());
    run.assert_clean();
    document(&run)["sessions"].as_array().unwrap().clone()
}

/// The ids that `sexton list` shows with these arguments, in its order.
#[track_caller]
pub(crate) fn listed_ids(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let id = |session: &Value| session["id"].as_str().unwrap().to_owned();
    listed(env, arguments).iter().map(id).collect()
}

/// The one session that `sexton show --json` shows.
#[track_caller]
pub(crate) fn shown(env: &TestEnv, session: &str) -> Value {
    let run = sexton(env, &["show", session, "--json"]);
    run.assert_clean();
    document(&run)["sessions"][0].clone()
}

/// The events in a session's register file; none if there is no file.
pub(crate) fn events(env: &TestEnv, session: &str) -> Vec<Value> {
    let text = fs::read_to_string(register::file(&env.register_dir(), session)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The kinds of the events in a session's register file.
pub(crate) fn kinds(env: &TestEnv, session: &str) -> Vec<String> {
    let kind = |event: &Value| event["kind"].as_str().unwrap().to_owned();
    events(env, session).iter().map(kind).collect()
}

/// Runs `sexton` as a user for whom file modes count: as nobody if we are root, else as ourselves.
#[track_caller]
pub(crate) fn sexton_without_privileges(env: &TestEnv, arguments: &[&str]) -> Run {
    // Where the program was built nobody may not be able to look.
    let program = env.root().join("bin/sexton");
    let copied = Command::new("cp").arg(SEXTON).arg(&program).status().unwrap();
    assert!(copied.success());
    env.run_as_nobody(&program, arguments)
        .unwrap_or_else(|| env.run(&program, arguments))
}

/// Runs `sexton` on a pseudo-terminal of so many columns; `None`, with a note, where `script` of util-linux is not installed.
///
/// What comes back as standard output is what stands on the terminal: both streams, with its line endings made plain.
#[track_caller]
pub(crate) fn sexton_on_terminal(env: &TestEnv, columns: usize, arguments: &str) -> Option<String> {
    let has_script = Command::new("script")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !has_script.is_ok_and(|status| status.success()) {
        eprintln!("skipped: `script` of util-linux is not installed");
        return None;
    }
    let mut command = env.command("script");
    command
        .env("TERM", "xterm-256color")
        .env("SHELL", "/bin/sh")
        .arg("-qec")
        .arg(format!("stty cols {columns} rows 50; exec '{SEXTON}' {arguments}"))
        .arg("/dev/null");
    let run = Run::of(&mut command, b"");
    Some(run.stdout.replace("\r\n", "\n"))
}

/// Runs a harness that has a patience of its own, and returns its standard output; it must exit with 0.
#[track_caller]
pub(crate) fn harness(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{command:?}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// `text` without the sequences that colour it.
pub(crate) fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("only colours are used");
        rest = &rest[start + end + 1..];
    }
    plain + rest
}

/// Something beside the workspace that only some machines have; `None`, with a note, where it isn't there.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("SEXTON_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = shared.join(name);
    if !path.exists() {
        eprintln!("skipped: `{name}` is not beside the workspace, nor below $SEXTON_SHARED");
        return None;
    }
    Some(path)
}

/// The registry of a configuration directory, made if need be.
pub(crate) fn registry_dir(config_dir: &Path) -> PathBuf {
    let directory = config_dir.join("sessions");
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// The tombstones as they stand in the file; none if there is no file.
pub(crate) fn tombstones(env: &TestEnv) -> Vec<String> {
    let text = fs::read_to_string(env.tombstone_file()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The items of a command's JSON document as `(id, outcome)`, in their order; the document must be what its schema says.
#[track_caller]
pub(crate) fn outcomes(run: &Run) -> Vec<(String, String)> {
    let document = crate::json::assert_valid("items.schema.json", run);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = document["items"].as_array().unwrap().iter();
    items
        .map(|item| (text(&item["session"]), text(&item["outcome"])))
        .collect()
}

/// What stands on both streams.
pub(crate) fn said(run: &Run) -> String {
    format!("{}{}", run.stdout, run.stderr)
}
