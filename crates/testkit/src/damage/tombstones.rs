//! Damage in the tombstone file, which other tools write, too.

use std::fs;

use super::{Case, Exit, Planted};
use crate::ids::session_id;

pub(super) const CASES: &[Case] = &[
    Case::new("tombstones with blanks, CRLF and no last newline", |planted| {
        let text = format!("\n  {}  \r\n\n{}", session_id(80), session_id(81));
        write(planted, text.as_bytes());
    }),
    Case::new("tombstones that aren't ids", |planted| {
        let text = format!(
            "../../etc/passwd\n*\n%\n_\n00000001\n{}\n\u{1b}[2J\n",
            "x".repeat(1 << 20)
        );
        write(planted, text.as_bytes());
    }),
    Case::new("tombstones that aren't UTF-8", |planted| {
        write(planted, b"\xff\xfe\n\0\0\0\n");
        planted.exit = Exit::Either;
    }),
    // It must not read as empty: what it would have hidden must not come back.
    Case::new("tombstone file that is a directory", |planted| {
        fs::create_dir_all(planted.env.tombstone_file()).unwrap();
        planted.file = Some(planted.env.tombstone_file());
        planted.exit = Exit::Partial;
    }),
    Case::heavy("a hundred thousand tombstones", |planted| {
        let text: String = (1_000..101_000)
            .flat_map(|number| [session_id(number), "\n".to_owned()])
            .collect();
        write(planted, text.as_bytes());
    }),
];

fn write(planted: &mut Planted<'_>, content: &[u8]) {
    let path = planted.env.tombstone_file();
    planted.write_file(path, content);
}
