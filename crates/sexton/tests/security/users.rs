//! Another user's files: what the system doesn't let one see is neither shown nor guessed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::{SECRET, SEXTON};

#[test]
fn what_another_user_keeps_private_stays_private() {
    let env = TestEnv::new();
    let theirs = TestEnv::new();
    Transcript::new(&session_id(2))
        .conversation(SECRET, "yes")
        .write(&theirs.config_dir());
    Transcript::new(&session_id(1))
        .conversation("mine", "yes")
        .write(&env.config_dir());
    fs::set_permissions(theirs.root(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(theirs.config_dir(), fs::Permissions::from_mode(0o700)).unwrap();
    let program = env.root().join("bin/sexton");
    assert!(Command::new("cp").arg(SEXTON).arg(&program).status().unwrap().success());
    let (mine, other) = (env.config_dir(), theirs.config_dir());
    let (mine, other) = (mine.to_str().unwrap(), other.to_str().unwrap());
    for arguments in [
        &["list", "--all"][..],
        &["search", SECRET],
        &["show", "00000002"],
        &["delete", "00000002", "--yes", "--yes-most"],
        &["archive", "00000002"],
    ] {
        let arguments = [arguments, &["--config-dir", mine, "--config-dir", other]].concat();
        let Some(run) = env.run_as_nobody(&program, &arguments) else {
            eprintln!("skipped: only root can become another user");
            return;
        };
        assert!(matches!(run.code, Some(0 | 1 | 3)), "{run:#?}");
        assert!(!run.stdout.contains(&session_id(2)[..8]), "{run:#?}");
        if arguments[0] == "list" {
            assert!(run.stdout.contains(&session_id(1)[..8]), "{run:#?}");
        }
    }
    assert!(Transcript::new(&session_id(2)).path(&theirs.config_dir()).exists());
}
