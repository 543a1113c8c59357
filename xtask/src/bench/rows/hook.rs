//! A hook, from process start to exit, against a process that does nothing.

use std::fs;
use std::path::{Path, PathBuf};

use sexton_testkit::{RegistryRecord, Transcript, session_id};

use crate::Result;
use crate::bench::figures::{Limit, Row};
use crate::bench::sample::Program;
use crate::bench::{Bench, Rows, fresh};

pub(crate) const EVENTS: [&str; 2] = ["session-start", "session-end"];

pub(super) fn measure(bench: &Bench) -> Rows {
    let mut rows = Vec::new();
    for registry_files in [8, 500] {
        let home = prepare(registry_files)?;
        let register = home.join(".claudewheel/shared/lifecycle");
        for event in EVENTS {
            let builds = [("", Some(&bench.binary)), (", static", bench.static_binary.as_ref())];
            for (build, binary) in builds {
                let Some(binary) = binary else { continue };
                let subject = program(binary, &home, event);
                let nothing = Program::new("/bin/true").input(home.join(format!("{event}.json")));
                let before = events(&register);
                rows.push(Row::measure(
                    format!("hook {event}, {registry_files} registry files{build}"),
                    &subject,
                    ("/bin/true", &nothing),
                    Limit::TimesFloor(2.0),
                    bench.runs * 10,
                    |_| events(&register) > before,
                )?);
            }
        }
    }
    Ok(rows)
}

/// The hook of this event as Claude Code runs it in this home; its parent is us.
pub(crate) fn program(binary: &Path, home: &Path, event: &str) -> Program {
    Bench::program(binary, home)
        .variable("CLAUDE_CONFIG_DIR", home.join(".claude"))
        .variable("CLAUDE_PID", std::process::id().to_string())
        .arguments(["hook", event])
        .input(home.join(format!("{event}.json")))
}

/// A home with this many registry files, one of them that of the hook's parent, which is us.
pub(crate) fn prepare(registry_files: u32) -> Result<PathBuf> {
    let home = fresh(&format!("hook-{registry_files}"))?;
    let config = home.join(".claude");
    RegistryRecord::with_pid(std::process::id(), &session_id(1))
        .name("sample-8f", "derived")
        .write(&config);
    // Pids that no Linux gives: what a killed client leaves behind.
    for number in 1..registry_files {
        RegistryRecord::with_pid(4_200_000 + number, &session_id(100 + number))
            .proc_start("1")
            .write(&config);
    }
    let transcript = Transcript::new(&session_id(1))
        .conversation("mend the parser", "mended")
        .snapshots(150_000);
    let path = transcript.write(&config);
    for (event, member) in [
        ("session-start", r#""source":"startup","model":"claude-opus-5-5""#),
        ("session-end", r#""reason":"prompt_input_exit""#),
    ] {
        let payload = format!(
            r#"{{"session_id":"{}","transcript_path":"{}","cwd":"/home/dev/sample",{member}}}"#,
            session_id(1),
            path.display()
        );
        fs::write(home.join(format!("{event}.json")), payload)?;
    }
    Ok(home)
}

/// Bytes in the session's register file: they grow when a hook did its work.
fn events(register: &Path) -> u64 {
    fs::metadata(register.join(format!("{}.jsonl", session_id(1)))).map_or(0, |metadata| metadata.len())
}
