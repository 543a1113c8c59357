//! Damage in the live registry.

use super::{Case, Exit, Planted};
use crate::ids::session_id;
use crate::process::{LiveProcess, Zombie, dead_pid};
use crate::registry::RegistryRecord;

pub(super) const CASES: &[Case] = &[
    Case::new("torn and empty registry files", |planted| {
        let whole = RegistryRecord::with_pid(dead_pid(), &session_id(2)).text();
        for (pid, text) in [
            (4_000_001, &whole[..whole.len() / 2]),
            (4_000_002, ""),
            (4_000_003, "{"),
        ] {
            file(planted, pid, text);
        }
    }),
    Case::new("registry files of other shapes", |planted| {
        for (pid, text) in [
            (4_000_001, "[]"),
            (4_000_002, "null"),
            (4_000_003, "{}"),
            (
                4_000_004,
                r#"{"pid":"12","sessionId":7,"procStart":12,"startedAt":"now","status":[],"name":{}}"#,
            ),
            (4_000_005, r#"{"pid":1e400,"sessionId":"x"}"#),
            (4_000_006, "\u{feff}{}"),
            (4_000_007, "not json\u{0}"),
        ] {
            file(planted, pid, text);
        }
    }),
    Case::new("registry records whose pid is none", |planted| {
        for (number, pid) in ["0", "-1", "4294967296", "1.5", "99999999999999999999", "null"]
            .into_iter()
            .enumerate()
        {
            let number = u32::try_from(number).unwrap();
            let text = RegistryRecord::with_pid(1, &session_id(20 + number))
                .raw("pid", pid)
                .text();
            file(planted, 4_000_000 + number, &text);
        }
        planted.exit = Exit::Either;
    }),
    Case::new("registry records whose session id is a path", |planted| {
        let process = LiveProcess::start();
        for (number, id) in [
            "../../../etc/passwd",
            "",
            "/",
            "a\nb",
            "00000002-5e55-4000-8000-00000000000G",
        ]
        .into_iter()
        .enumerate()
        {
            let text = RegistryRecord::of(&process, id).text();
            file(planted, 4_000_000 + u32::try_from(number).unwrap(), &text);
        }
        planted.keep(process);
        planted.exit = Exit::Either;
    }),
    Case::new("live session whose name drives a terminal", |planted| {
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &session_id(2))
            .name("\u{1b}[2J\u{202e}evil\n\tname\u{0}", "user")
            .cwd("/home/\u{1b}]0;x\u{7}")
            .write(&planted.env.config_dir());
        planted.keep(process);
        planted.must_show(2, None);
    }),
    Case::new("live session with a name of a megabyte", |planted| {
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &session_id(2))
            .name(&"n".repeat(1_000_000), "user")
            .write(&planted.env.config_dir());
        planted.keep(process);
        planted.must_show(2, None);
    }),
    Case::new("live session with status, kind and members of tomorrow", |planted| {
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &session_id(2))
            .status("dreaming")
            .kind("hologram")
            .raw("tomorrow", "[{}]")
            .write(&planted.env.config_dir());
        planted.keep(process);
        planted.must_show(2, None);
    }),
    Case::new("pid that another process has now", |planted| {
        let process = LiveProcess::start();
        RegistryRecord::of(&process, &session_id(2))
            .proc_start("1")
            .write(&planted.env.config_dir());
        planted.keep(process);
        planted.must_show(2, None);
    }),
    Case::new("zombie", |planted| {
        let zombie = Zombie::new();
        RegistryRecord::with_pid(zombie.pid(), &session_id(2))
            .proc_start(&zombie.start_ticks())
            .write(&planted.env.config_dir());
        planted.keep(zombie);
        planted.must_show(2, None);
    }),
    Case::new("two processes with one session id", |planted| {
        let (one, two) = (LiveProcess::start(), LiveProcess::start());
        for process in [&one, &two] {
            RegistryRecord::of(process, &session_id(2)).write(&planted.env.config_dir());
        }
        planted.keep((one, two));
        planted.must_show(2, None);
    }),
    Case::new("record of another machine", |planted| {
        RegistryRecord::with_pid(1, &session_id(2))
            .proc_start("1")
            .on_another_machine()
            .write(&planted.env.config_dir());
        planted.must_show(2, None);
    }),
    Case::new("key file whose record is gone", |planted| {
        let (record, key) =
            RegistryRecord::with_pid(dead_pid(), &session_id(2)).write_with_key(&planted.env.config_dir());
        std::fs::remove_file(record).unwrap();
        planted.file = Some(key);
        planted.forbidden.push("a secret of the client");
    }),
];

fn file(planted: &mut Planted<'_>, pid: u32, text: &str) {
    let path = planted.env.config_dir().join(format!("sessions/{pid}.json"));
    planted.write_file(path, text);
}
