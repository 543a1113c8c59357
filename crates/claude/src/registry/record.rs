//! One registry record, as far as it could be understood.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sexton_register::SessionId;

use crate::json;

/// What Claude Code wrote about one of its processes.
///
/// Fields that are absent, blank or of an unexpected type are `None`; only a pid and a session id must be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryRecord {
    /// The file that holds the record.
    pub path: PathBuf,
    /// The process: the field `pid`, else the file's numeric stem.
    pub pid: u32,
    /// The session it runs, which changes on `/clear` and `/resume`.
    pub session: SessionId,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_at_ms: Option<i64>,
    /// The kernel's start token, in the spelling of the system that wrote it.
    pub proc_start: Option<String>,
    /// The machine and pid namespace that the pid belongs to.
    pub pid_domain: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// Whether a person sits in front of it.
    pub kind: ProcessKind,
    /// `busy`, `shell`, `idle`, `waiting`, or what later versions say; absent just after the start.
    pub status: Option<String>,
    /// What a waiting session waits for, in the client's words.
    pub waiting_for: Option<String>,
    /// The display name.
    pub name: Option<String>,
    /// Where the name comes from: `user`, `derived` and others.
    pub name_source: Option<String>,
    /// How the client was started: `cli`, `sdk` and others.
    pub entrypoint: Option<String>,
    /// Whether this is a pre-warmed helper, which is no session.
    pub spare: bool,
}

/// What kind of process holds a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum ProcessKind {
    /// A person's terminal or editor; also whatever we don't know.
    #[default]
    Interactive,
    /// Sent to the background.
    Background,
    /// The daemon itself.
    Daemon,
    /// A worker of the daemon.
    Worker,
}

impl ProcessKind {
    fn parse(text: Option<&str>) -> Self {
        match text {
            Some("bg") => Self::Background,
            Some("daemon") => Self::Daemon,
            Some("daemon-worker") => Self::Worker,
            _ => Self::Interactive,
        }
    }

    /// The word that people read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Background => "background",
            Self::Daemon => "daemon",
            Self::Worker => "worker",
        }
    }

    /// Whether nobody sits in front of it.
    #[must_use]
    pub fn is_background(self) -> bool {
        self != Self::Interactive
    }
}

/// Why a file's content is no record; [`Incomplete::Torn`] may be a whole one a moment later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incomplete {
    /// Not JSON: half written, or damaged.
    Torn,
    /// JSON, but neither the file's name nor its content gives a usable pid.
    NoPid,
    /// JSON, but without the id of a session.
    NoSession,
}

impl RegistryRecord {
    /// Reads the record in `bytes`, the content of the file at `path`.
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, Incomplete> {
        let object: Map<String, Value> = json::parse_tolerantly(bytes).map_err(|_| Incomplete::Torn)?;
        let pid = object
            .get("pid")
            .and_then(Value::as_u64)
            .or_else(|| path.file_stem()?.to_str()?.parse().ok())
            .and_then(usable_pid)
            .ok_or(Incomplete::NoPid)?;
        let session = json::text(&object, "sessionId")
            .and_then(|text| SessionId::parse(&text).ok())
            .ok_or(Incomplete::NoSession)?;
        let text = |key| json::text(&object, key);
        Ok(Self {
            path: path.to_path_buf(),
            pid,
            session,
            cwd: text("cwd").map(PathBuf::from),
            started_at_ms: object.get("startedAt").and_then(milliseconds),
            proc_start: object.get("procStart").and_then(token),
            pid_domain: text("pidDomain").filter(|domain| !domain.trim().is_empty()),
            version: text("version"),
            kind: ProcessKind::parse(object.get("kind").and_then(Value::as_str)),
            status: text("status"),
            waiting_for: text("waitingFor"),
            name: text("name"),
            name_source: text("nameSource"),
            entrypoint: text("entrypoint"),
            spare: object.get("spare").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    /// Whether both are claims about one and the same process.
    #[must_use]
    pub fn is_same_process(&self, other: &Self) -> bool {
        (self.pid, &self.proc_start) == (other.pid, &other.proc_start)
    }
}

/// A pid as the kernel gives them out: pid 0 would mean "my own process group" to a signal.
fn usable_pid(pid: u64) -> Option<u32> {
    let pid = u32::try_from(pid).ok()?;
    (pid > 0 && i32::try_from(pid).is_ok()).then_some(pid)
}

fn milliseconds(value: &Value) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`as` saturates, which is right for a time"
    )]
    value.as_i64().or_else(|| value.as_f64().map(|ms| ms as i64))
}

/// A start token; a blank one is absent, not a mismatch.
fn token(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";

    fn parse(name: &str, json: &str) -> Result<RegistryRecord, Incomplete> {
        RegistryRecord::parse(Path::new(name), json.as_bytes())
    }

    #[test]
    fn a_whole_record() {
        let record = parse(
            "760.json",
            &format!(
                r#"{{"pid":761,"sessionId":"{ID}","cwd":"/w","startedAt":1796061832259,"procStart":"251132","version":"2.1.332",
                "kind":"bg","entrypoint":"cli","pidDomain":"linux:1:pid:[2]","name":"a\tb","nameSource":"derived","status":"waiting",
                "waitingFor":"permission prompt","spare":true,"peerFeatures":["x"],"new":null}}"#
            ),
        )
        .unwrap();
        let expected = RegistryRecord {
            path: "760.json".into(),
            pid: 761,
            session: SessionId::parse(ID).unwrap(),
            cwd: Some("/w".into()),
            started_at_ms: Some(1_796_061_832_259),
            proc_start: Some("251132".into()),
            pid_domain: Some("linux:1:pid:[2]".into()),
            version: Some("2.1.332".into()),
            kind: ProcessKind::Background,
            status: Some("waiting".into()),
            waiting_for: Some("permission prompt".into()),
            name: Some("a\tb".into()),
            name_source: Some("derived".into()),
            entrypoint: Some("cli".into()),
            spare: true,
        };
        assert_eq!(record, expected);
    }

    #[test]
    fn fields_of_another_type_are_absent() {
        let record = parse(
            "/x/760.json",
            &format!(
                r#"{{"sessionId":"{ID}","cwd":5,"startedAt":"soon","procStart":"  ","kind":"hologram","status":{{}},"name":"","spare":"yes"}}"#
            ),
        )
        .unwrap();
        assert_eq!((record.pid, record.kind), (760, ProcessKind::Interactive));
        assert_eq!(
            (record.cwd, record.started_at_ms, record.proc_start),
            (None, None, None)
        );
        assert_eq!((record.status, record.name, record.spare), (None, None, false));
    }

    #[test]
    fn kinds() {
        for (word, kind, background) in [
            ("interactive", ProcessKind::Interactive, false),
            ("bg", ProcessKind::Background, true),
            ("daemon", ProcessKind::Daemon, true),
            ("daemon-worker", ProcessKind::Worker, true),
            ("new", ProcessKind::Interactive, false),
        ] {
            assert_eq!(ProcessKind::parse(Some(word)), kind, "{word}");
            assert_eq!(kind.is_background(), background, "{word}");
        }
        assert_eq!(ProcessKind::parse(None), ProcessKind::Interactive);
    }

    #[test]
    fn what_is_no_record() {
        let id = format!(r#""sessionId":"{ID}""#);
        for (name, json, why) in [
            ("1.json", "{\"pid\":1,".to_owned(), Incomplete::Torn),
            ("1.json", String::new(), Incomplete::Torn),
            ("1.json", "[]".to_owned(), Incomplete::Torn),
            ("x.json", format!("{{{id}}}"), Incomplete::NoPid),
            ("0.json", format!("{{{id}}}"), Incomplete::NoPid),
            ("x.json", format!("{{{id},\"pid\":4294967295}}"), Incomplete::NoPid),
            ("x.json", format!("{{{id},\"pid\":-1}}"), Incomplete::NoPid),
            (
                "1.json",
                "{\"sessionId\":\"../../etc\"}".to_owned(),
                Incomplete::NoSession,
            ),
            ("1.json", "{}".to_owned(), Incomplete::NoSession),
        ] {
            assert_eq!(parse(name, &json), Err(why), "{name} {json}");
        }
    }

    #[test]
    fn a_name_cut_in_the_middle_of_an_emoji() {
        let record = parse("1.json", &format!(r#"{{"sessionId":"{ID}","name":"sun\ud83d"}}"#)).unwrap();
        assert_eq!(record.name.as_deref(), Some("sun\u{fffd}"));
    }
}
