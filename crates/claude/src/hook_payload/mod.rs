//! What Claude Code tells a hook on standard input: one JSON object, after which the client may keep the pipe open.

mod scanner;

use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use sexton_register::{InvalidSessionId, SessionId};

use crate::json;
use scanner::{ObjectScanner, Scan};

/// Longer payloads are refused.
pub const LARGEST_PAYLOAD: usize = 1024 * 1024;

/// How long a hook waits for its payload; to be given to [`sexton_sys::DeadlineReader`].
pub const PATIENCE: Duration = Duration::from_secs(1);

/// The payload of a `SessionStart` or `SessionEnd` hook. Empty strings and values of another type count as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPayload {
    /// The session.
    pub session: SessionId,
    /// `SessionStart` or `SessionEnd`.
    pub event: Option<String>,
    /// The working directory, as text: the register keeps it so.
    pub cwd: Option<String>,
    /// Where the transcript is or will be; at the start it need not exist yet.
    pub transcript_path: Option<PathBuf>,
    /// At the start: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<String>,
    /// At the start: the model.
    pub model: Option<String>,
    /// At the end: `clear`, `resume`, `logout`, `prompt_input_exit`, `other`.
    pub reason: Option<String>,
}

/// Why there is no payload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Reading failed.
    #[error("read the hook's payload: {0}")]
    Read(#[source] io::Error),
    /// The client did not finish in time.
    #[error("read the hook's payload: it was not complete within {} s", PATIENCE.as_secs())]
    TimedOut,
    /// The input ended before the object did.
    #[error("read the hook's payload: the input ended after {0} bytes")]
    Incomplete(usize),
    /// The object is too long.
    #[error("read the hook's payload: it is longer than {LARGEST_PAYLOAD} bytes")]
    TooLong,
    /// The input is something else.
    #[error("read the hook's payload: it is not a JSON object")]
    NotAnObject,
    /// The input looks like an object, and is no JSON.
    #[error("read the hook's payload: {0}")]
    Invalid(#[source] serde_json::Error),
    /// There is no session id in it.
    #[error("read the hook's payload: it has no `session_id`")]
    NoSession,
    /// The session id is none.
    #[error("read the hook's payload: {0}")]
    BadSession(#[from] InvalidSessionId),
}

impl HookPayload {
    /// Reads one object from `reader` and returns as soon as it is complete, whether or not the input ends there.
    ///
    /// What came in the same piece after the object's end is ignored.
    pub fn read(reader: &mut impl Read) -> Result<Self, PayloadError> {
        Self::parse(&read_object(reader)?)
    }

    /// Reads the payload in `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        let object: Map<String, Value> = json::parse_tolerantly(bytes).map_err(PayloadError::Invalid)?;
        let text = |key| json::text(&object, key);
        Ok(Self {
            session: SessionId::parse(&text("session_id").ok_or(PayloadError::NoSession)?)?,
            event: text("hook_event_name"),
            cwd: text("cwd"),
            transcript_path: text("transcript_path").map(PathBuf::from),
            source: text("source"),
            model: text("model"),
            reason: text("reason"),
        })
    }
}

/// The bytes of exactly one JSON object.
fn read_object(reader: &mut impl Read) -> Result<Vec<u8>, PayloadError> {
    let mut scanner = ObjectScanner::default();
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    loop {
        let length = match reader.read(&mut piece) {
            Ok(0) => return Err(PayloadError::Incomplete(bytes.len())),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(PayloadError::TimedOut),
            Err(error) => return Err(PayloadError::Read(error)),
        };
        let piece = &piece[..length];
        let scan = scanner.feed(piece);
        let taken = match scan {
            Scan::End(length) => &piece[..length],
            Scan::More => piece,
            Scan::NotAnObject => return Err(PayloadError::NotAnObject),
        };
        if bytes.len() + taken.len() > LARGEST_PAYLOAD {
            return Err(PayloadError::TooLong);
        }
        bytes.extend_from_slice(taken);
        if let Scan::End(_) = scan {
            return Ok(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "33a8e781-9766-4574-a7aa-1ce12b8b16b7";

    /// Gives the pieces one by one, and then fails: whoever asks for more than needed would have waited for ever.
    struct OpenPipe(Vec<Vec<u8>>);

    impl Read for OpenPipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut piece = self.0.remove(0);
            let length = piece.len().min(buffer.len());
            buffer[..length].copy_from_slice(&piece[..length]);
            piece.drain(..length);
            if !piece.is_empty() {
                self.0.insert(0, piece);
            }
            Ok(length)
        }
    }

    fn read(text: &str) -> Result<HookPayload, PayloadError> {
        let pieces = if text.is_empty() { Vec::new() } else { vec![text.into()] };
        HookPayload::read(&mut OpenPipe(pieces))
    }

    #[test]
    fn a_start() {
        let payload = read(&format!(
            r#" {{"session_id":"{ID}","transcript_path":"/p/x.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"startup",
            "model":"claude-opus-5-5","context_tokens":14469,"reason":"","new":{{"a":["}}"]}}}}
            trailing"#
        ))
        .unwrap();
        let expected = HookPayload {
            session: SessionId::parse(ID).unwrap(),
            event: Some("SessionStart".into()),
            cwd: Some("/w".into()),
            transcript_path: Some("/p/x.jsonl".into()),
            source: Some("startup".into()),
            model: Some("claude-opus-5-5".into()),
            reason: None,
        };
        assert_eq!(payload, expected);
    }

    #[test]
    fn what_is_refused_and_how_it_is_said() {
        for (input, message) in [
            ("", "read the hook's payload: it was not complete within 1 s"),
            (
                r#"{"session_id":"#,
                "read the hook's payload: it was not complete within 1 s",
            ),
            ("  \n[1]", "read the hook's payload: it is not a JSON object"),
            ("hello", "read the hook's payload: it is not a JSON object"),
            ("{}", "read the hook's payload: it has no `session_id`"),
            (r#"{"session_id":5}"#, "read the hook's payload: it has no `session_id`"),
        ] {
            assert_eq!(read(input).unwrap_err().to_string(), message, "{input}");
        }
        let error = read(r#"{"session_id":"../x"}"#).unwrap_err().to_string();
        assert!(error.contains("`../x` is not a session id"), "{error}");
        assert!(matches!(read("{]}").unwrap_err(), PayloadError::Invalid(_)));
        let ended = HookPayload::read(&mut &b"{\"a\""[..]).unwrap_err();
        assert!(matches!(ended, PayloadError::Incomplete(4)), "{ended}");
    }

    #[test]
    fn the_limit_is_exact_and_endless_input_ends() {
        let of_length = |length: usize| {
            let frame = format!(r#"{{"session_id":"{ID}","pad":""}}"#);
            let pad = "x".repeat(length - frame.len());
            frame.replace("\"pad\":\"", &format!("\"pad\":\"{pad}"))
        };
        assert!(read(&of_length(LARGEST_PAYLOAD)).is_ok());
        let too_long = read(&of_length(LARGEST_PAYLOAD + 1)).unwrap_err();
        assert!(matches!(too_long, PayloadError::TooLong));
        let endless = HookPayload::read(&mut b"{".chain(io::repeat(b' '))).unwrap_err();
        assert!(matches!(endless, PayloadError::TooLong));
        let endless = HookPayload::read(&mut io::repeat(b' ')).unwrap_err();
        assert!(matches!(endless, PayloadError::TooLong));
    }

    #[test]
    fn a_pipe_that_stays_open_is_no_wait() {
        use std::io::Write;
        let (reader, mut writer) = io::pipe().unwrap();
        write!(writer, r#"{{"session_id":"{ID}"}}"#).unwrap();
        // So much patience that the test would be seen hanging.
        let mut reader = sexton_sys::DeadlineReader::new(reader, Duration::from_hours(1));
        assert_eq!(HookPayload::read(&mut reader).unwrap().session.as_str(), ID);
        drop(writer);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            r#"[{}\[\]"\\ a]{0,8}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_end_of_the_value_is_found_however_it_comes(
            value in any_json(), after in any::<Vec<u8>>(), cuts in proptest::collection::vec(0_usize..200, 0..8), pretty: bool,
        ) {
            let object = serde_json::json!({ "value": value });
            let mut text = if pretty { serde_json::to_vec_pretty(&object) } else { serde_json::to_vec(&object) }.unwrap();
            let expected = text.clone();
            text.extend(&after);
            let mut pieces = Vec::new();
            for cut in cuts {
                let cut = cut.clamp(1, text.len().max(1)).min(text.len());
                let rest = text.split_off(cut);
                pieces.push(std::mem::replace(&mut text, rest));
            }
            pieces.push(text);
            pieces.retain(|piece| !piece.is_empty());
            let read = read_object(&mut OpenPipe(pieces)).unwrap();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn no_input_panics(bytes in any::<Vec<u8>>()) {
            let _ = HookPayload::read(&mut &bytes[..]);
            let _ = HookPayload::read(&mut (&b"{"[..]).chain(&bytes[..]));
        }
    }
}
