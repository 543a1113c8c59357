//! Damage inside a transcript: its bytes, lines and values.

use super::{Case, Planted};
use crate::ids::session_id;
use crate::json::Object;
use crate::transcript::Transcript;

const GOOD: &str = "the survivorword was said";

pub(super) const CASES: &[Case] = &[
    Case::new("torn last line", |planted| {
        around(
            planted,
            |transcript| transcript.prompt(GOOD),
            |transcript| transcript.bytes(r#"{"type":"user","mess"#),
        );
    }),
    Case::new("last line breaks off inside a character", |planted| {
        around(
            planted,
            |transcript| transcript.prompt(GOOD),
            |transcript| transcript.bytes(b"{\"type\":\"ai-title\",\"aiTitle\":\"\xe5\x90"),
        );
    }),
    Case::new("bad line in the middle", |planted| {
        around(
            planted,
            |transcript| transcript.line("{\"type\":\"user\",]"),
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("two records on one line", |planted| {
        around(
            planted,
            |transcript| transcript.line(r#"{"type":"mode"}{"type":"mode"}"#),
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("block of NUL bytes", |planted| {
        around(
            planted,
            |transcript| transcript.bytes([0; 8192]),
            |transcript| transcript.bytes("\n").prompt(GOOD),
        );
    }),
    Case::new("NUL bytes before a record on its line", |planted| {
        around(
            planted,
            |transcript| transcript.prompt(GOOD),
            |transcript| transcript.bytes([0; 100]).answer("after the hole"),
        );
    }),
    Case::new("invalid UTF-8", |planted| {
        around(
            planted,
            |transcript| transcript.line(b"{\"type\":\"user\",\"x\":\"\xff\xfe\"}"),
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("lone surrogate escapes", |planted| {
        around(
            planted,
            |transcript| transcript.line(r#"{"type":"ai-title","aiTitle":"cut \ud83d"}"#),
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("byte order mark", |planted| {
        let whole = planted.survivor().prompt(GOOD);
        let marked = Transcript::new(&session_id(2)).bytes("\u{feff}").bytes(whole.content());
        planted.write(&marked);
    }),
    Case::new("CRLF line ends", |planted| {
        let whole = planted.survivor().prompt(GOOD).answer("yes");
        let text = String::from_utf8(whole.content().to_vec())
            .unwrap()
            .replace('\n', "\r\n");
        planted.write(&Transcript::new(&session_id(2)).bytes(text));
    }),
    Case::new("duplicated lines", |planted| {
        let whole = planted.survivor().prompt(GOOD).answer("yes");
        let twice = whole.clone().bytes(whole.content());
        planted.write(&twice);
    }),
    Case::new("values that aren't objects", |planted| {
        around(
            planted,
            |transcript| {
                transcript
                    .line("null")
                    .line("[]")
                    .line("3")
                    .line("\"user\"")
                    .line("")
                    .line("  ")
            },
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("records of tomorrow", |planted| {
        around(
            planted,
            |transcript| {
                transcript
                    .line(r#"{"type":"hologram","frames":[{"x":1}]}"#)
                    .line(r#"{"no":"type"}"#)
                    .line(r#"{"type":7}"#)
            },
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("known records with values of other types", |planted| {
        around(
            planted,
            |transcript| {
                transcript
                    .line(r#"{"type":"user","message":"text","timestamp":12,"cwd":[],"isMeta":"yes","uuid":{}}"#)
                    .line(r#"{"type":"assistant","message":{"content":{"type":"text"},"usage":[1],"id":3}}"#)
                    .line(r#"{"type":"assistant","message":{"content":[null,3,{"type":"text","text":9},{"type":"novel"}]}}"#)
                    .line(r#"{"type":"custom-title","customTitle":null}"#)
                    .line(r#"{"type":"user","toolUseResult":"a string","message":null}"#)
            },
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("JSON nested a hundred thousand deep", |planted| {
        let deep = format!(
            "{{\"type\":\"user\",\"x\":{}{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let open = format!("{{\"type\":\"user\",\"x\":{}", "{\"a\":".repeat(100_000));
        around(
            planted,
            |transcript| transcript.line(&deep).line(&open),
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("numbers beyond a 64-bit float", |planted| {
        let long = "9".repeat(5_000);
        around(
            planted,
            |transcript| {
                transcript
                    .line(r#"{"type":"cost-state","totalCostUSD":1e999,"x":-1e999,"y":123456789012345678901234567890}"#)
                    .line(format!(r#"{{"type":"system","durationMs":{long}}}"#))
            },
            |transcript| transcript.prompt(GOOD),
        );
    }),
    Case::new("times at the edges of the calendar and beyond", |planted| {
        let mut transcript = planted.survivor();
        for time in [
            "9999-12-31T23:59:59.999Z",
            "1969-07-20T20:17:40.000Z",
            "0001-01-01T00:00:00Z",
            "-000001-01-01T00:00:00Z",
            "+275760-09-13T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "yesterday",
            "",
        ] {
            transcript = transcript.line(Object::new().text("type", "user").text("timestamp", time).build());
        }
        planted.write(&transcript.prompt(GOOD));
    }),
    Case::new("time runs backwards", |planted| {
        let transcript = planted
            .survivor()
            .prompt(GOOD)
            .answer("yes")
            .at_ms(0)
            .prompt("earlier")
            .answer("indeed");
        planted.write(&transcript);
    }),
    Case::new("names and paths that drive a terminal", |planted| {
        let nasty = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}txt.exe\u{2066}\u{9b}31m\r\u{8}\u{0}";
        let transcript = planted
            .survivor()
            .cwd(&format!("/home/dev/{nasty}"))
            .branch(nasty)
            .prompt(&format!("{GOOD} {nasty}"))
            .answer(nasty)
            .agent_name(nasty)
            .custom_title(&format!("survivorword {nasty}"));
        planted.write(&transcript);
    }),
    Case::new("directories that climb and ids that are paths", |planted| {
        let transcript = planted
            .survivor()
            .cwd("../../../../etc")
            .prompt(GOOD)
            .line(
                r#"{"type":"continued-in","continuedInSessionId":"../../../../etc/passwd","sessionId":"/etc/passwd"}"#,
            )
            .line(r#"{"type":"relocated","relocatedCwd":"relative/../..","sessionId":"x"}"#)
            .line(r#"{"type":"worktree-state","worktreeSession":null}"#);
        planted.write(&transcript);
    }),
    Case::new("title of a megabyte", |planted| {
        let transcript = planted.survivor().prompt(GOOD).custom_title(&"long ".repeat(200_000));
        planted.write(&transcript);
    }),
    Case::new("only an ai-title", |planted| {
        planted.must_show(2, None);
        planted.write(&Transcript::new(&session_id(2)).ai_title("survivorword"));
    }),
    Case::new("only bookkeeping", |planted| {
        planted.must_show(2, None);
        planted.write(&Transcript::new(&session_id(2)).opening().cost_state());
    }),
    Case::new("empty file", |planted| {
        planted.write(&Transcript::new(&session_id(2)));
    }),
    Case::new("one newline", |planted| {
        planted.write(&Transcript::new(&session_id(2)).line(""));
    }),
    Case::new("records of another session", |planted| {
        let other = Transcript::new(&session_id(77)).opening().prompt(GOOD);
        planted.must_show(2, Some("survivorword"));
        planted.write(&Transcript::new(&session_id(2)).bytes(other.content()));
    }),
    Case::new("sessions that continue each other in a circle", |planted| {
        planted.must_show(2, Some("survivorword"));
        planted.must_show(3, None);
        let config = planted.env.config_dir();
        Transcript::new(&session_id(3))
            .conversation("there", "so")
            .continued_in(&session_id(2))
            .write(&config);
        planted.write(
            &Transcript::new(&session_id(2))
                .conversation(GOOD, "yes")
                .continued_in(&session_id(3)),
        );
    }),
    Case::heavy("line of 12.8 million characters", |planted| {
        let transcript = planted
            .survivor()
            .tool("Bash", "{}", &"0123456789abcdef".repeat(400_000))
            .prompt(GOOD);
        planted.write(&transcript);
    }),
    Case::heavy("line past 64 MiB", |planted| {
        let transcript = planted
            .survivor()
            .bytes("{\"type\":\"user\",\"x\":\"")
            .bytes("x".repeat(65 << 20))
            .line("\"}")
            .prompt(GOOD);
        planted.write(&transcript);
    }),
    Case::heavy("file of two gigabytes, most of it a hole", |planted| {
        let transcript = planted.survivor().prompt(GOOD);
        planted.write(&transcript);
        let path = planted.file.clone().unwrap();
        let file = std::fs::File::options().append(true).open(path).unwrap();
        file.set_len(2 << 30).unwrap();
        std::io::Write::write_all(
            &mut &file,
            Transcript::new(&session_id(2))
                .line("")
                .answer("after the hole")
                .content(),
        )
        .unwrap();
    }),
];

/// Writes session 2 with good records around what `first` and `then` add.
fn around(
    planted: &mut Planted<'_>,
    first: impl FnOnce(Transcript) -> Transcript,
    then: impl FnOnce(Transcript) -> Transcript,
) {
    let transcript = planted.survivor().answer("before");
    let transcript = then(first(transcript));
    planted.write(&transcript);
}
