//! Damage in the register.

use super::{Case, Exit, Planted};
use crate::ids::session_id;
use crate::register::{EventLine, ended, file, mark, named, started};
use crate::time::NOW_MS;

pub(super) const CASES: &[Case] = &[
    Case::new("torn last event", |planted| {
        let torn = named(&session_id(2), NOW_MS - 10_000, "torn").line();
        planted.must_show(2, None);
        write(planted, &(lines(&[run()]) + &torn[..40]));
    }),
    Case::new("torn event in the middle", |planted| {
        let torn = named(&session_id(2), NOW_MS - 10_000, "torn").line();
        write(
            planted,
            &(lines(&[run()]) + &torn[..40] + "\n" + &lines(&[ended(&session_id(2), NOW_MS - 5_000, "exited")])),
        );
        planted.exit = Exit::Partial;
    }),
    Case::new("event of tomorrow", |planted| {
        write(planted, &lines(&[run(), run().text("kind", "teleported")]));
        planted.exit = Exit::Partial;
    }),
    Case::new("format version of tomorrow", |planted| {
        write(planted, &lines(&[run().raw("format_version", "2")]));
        planted.exit = Exit::Partial;
    }),
    Case::new("event without a member, with one too many, with one twice", |planted| {
        let twice = run().line().replacen("\"kind\"", "\"source\":\"hook\",\"kind\"", 1);
        write(
            planted,
            &(lines(&[run().without("pid"), run().null("surplus")]) + &twice + "\n"),
        );
        planted.exit = Exit::Partial;
    }),
    Case::new("invalid UTF-8 in an event", |planted| {
        let path = file(&planted.env.register_dir(), &session_id(2));
        planted.write_file(path, [lines(&[run()]).as_bytes(), b"\xff\xfe\n"].concat());
        planted.exit = Exit::Partial;
    }),
    Case::new("block of NUL bytes in the register", |planted| {
        write(planted, &(lines(&[run()]) + &"\0".repeat(4096) + "\n"));
        planted.exit = Exit::Partial;
    }),
    Case::new("event nested a hundred thousand deep", |planted| {
        write(planted, &lines(&[run().raw("pid", &"[".repeat(100_000))]));
        planted.exit = Exit::Partial;
    }),
    Case::new("register file that isn't named after a session", |planted| {
        let path = planted.env.register_dir().join("notes.jsonl");
        planted.write_file(path, "{}\n");
        planted.exit = Exit::Partial;
    }),
    Case::new("other files in the register", |planted| {
        for name in [
            "README",
            ".lock",
            "00000002-5e55-4000-8000-000000000002.jsonl.bak",
            "x.json",
        ] {
            planted.env.write(&planted.env.register_dir().join(name), "anything");
        }
    }),
    Case::new("events that name another session", |planted| {
        write(planted, &lines(&[started(&session_id(77), NOW_MS - 60_000)]));
        planted.must_show(2, None);
        planted.exit = Exit::Either;
    }),
    Case::new("blank lines, CRLF and other spellings of JSON", |planted| {
        let spaced = run().line().replace("\":", "\" :  ");
        write(planted, &format!("\n  \n{spaced}\r\n\u{a0}\n"));
        planted.must_show(2, None);
    }),
    Case::new("names and notes that drive a terminal", |planted| {
        let nasty = "\u{1b}[2J\u{202e}evil\n\tname\u{9b}";
        write(
            planted,
            &lines(&[
                run().text("cwd", &format!("/home/{nasty}")).text("model", nasty),
                named(&session_id(2), NOW_MS - 9_000, nasty),
                mark(&session_id(2), NOW_MS - 8_000, Some("blocked")).text("note", nasty),
            ]),
        );
        planted.must_show(2, None);
    }),
    Case::new("name of a megabyte in the register", |planted| {
        write(
            planted,
            &lines(&[run(), named(&session_id(2), NOW_MS - 9_000, &"名".repeat(350_000))]),
        );
        planted.must_show(2, None);
    }),
    Case::new("events at the edges of the calendar", |planted| {
        let (first, last) = ("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z");
        write(planted, &lines(&[run().text("at", first), run().text("at", last)]));
        planted.must_show(2, None);
    }),
    Case::new("start in the future", |planted| {
        write(planted, &lines(&[started(&session_id(2), NOW_MS + 86_400_000)]));
        planted.must_show(2, None);
    }),
    Case::heavy("ten thousand events in one file", |planted| {
        let events: Vec<EventLine> = (0..10_000)
            .map(|number| started(&session_id(2), NOW_MS - 20_000_000 + number))
            .collect();
        write(planted, &lines(&events));
        planted.must_show(2, None);
    }),
];

fn run() -> EventLine {
    started(&session_id(2), NOW_MS - 3_600_000)
}

fn lines(events: &[EventLine]) -> String {
    events
        .iter()
        .flat_map(|event| [event.line(), "\n".to_owned()])
        .collect()
}

fn write(planted: &mut Planted<'_>, text: &str) {
    let path = file(&planted.env.register_dir(), &session_id(2));
    planted.write_file(path, text);
}
