//! What Claude Code writes, and the one file of its that we write.

use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::value::RawValue;
use sexton_claude::hook_payload::HookPayload;
use sexton_claude::registry::{observe, read_record, read_registry};
use sexton_claude::settings::{HookProgram, Status, install, uninstall};

use crate::scratch;

/// A record: read alone or with its directory it is the same, its process can be judged, and nothing in it is blank.
pub fn registry_file(bytes: &[u8]) {
    scratch::with(|directory| {
        let path = directory.join("sessions/4194301.json");
        fs::create_dir(directory.join("sessions")).unwrap();
        fs::write(&path, bytes).unwrap();
        let scan = read_registry(directory).unwrap();
        match read_record(&path) {
            Ok(record) => {
                assert_eq!(scan.records, std::slice::from_ref(&record));
                assert!(i32::try_from(record.pid).is_ok_and(|pid| pid > 0));
                assert!(record.is_same_process(&record));
                let texts = [&record.name, &record.status, &record.version, &record.proc_start];
                assert!(texts.into_iter().flatten().all(|text| !text.is_empty()), "{record:?}");
                let _ = observe(&record, None);
            }
            Err(_) => assert_eq!((scan.records.len(), scan.skipped.len()), (0, 1)),
        }
    });
}

/// A payload: however it comes through the pipe, and whatever follows it, it is the same.
pub fn hook_payload(bytes: &[u8]) {
    let told = |payload: Result<HookPayload, _>| {
        payload.map_err(|error: sexton_claude::hook_payload::PayloadError| error.to_string())
    };
    let at_once = told(HookPayload::read(&mut &bytes[..]));
    let in_bytes = told(HookPayload::read(&mut OneByOne(bytes)));
    assert_eq!(in_bytes, at_once);
    if let Ok(payload) = told(HookPayload::parse(bytes)) {
        assert_eq!(at_once.as_ref(), Ok(&payload), "what is a payload is one in a pipe");
    }
    if let Ok(payload) = at_once {
        let texts = [
            &payload.cwd,
            &payload.event,
            &payload.source,
            &payload.model,
            &payload.reason,
        ];
        assert!(texts.into_iter().flatten().all(|text| !text.is_empty()), "{payload:?}");
        let followed = [bytes, b"\n{\"session_id\":7} x"].concat();
        assert_eq!(told(HookPayload::read(&mut &followed[..])), Ok(payload));
    }
}

struct OneByOne<'b>(&'b [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

/// Settings: an edit leaves JSON, done twice it is done once, and taken back it leaves the file as it was, byte for byte.
pub fn settings_edit(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let program = HookProgram::new(Path::new("/usr/bin/sexton")).unwrap();
    let Ok(before) = Status::of(Some(text)) else {
        install(Some(text), &program).expect_err("what can't be understood isn't edited");
        return;
    };
    let installed = install(Some(text), &program).expect("what is understood can be edited");
    assert_json(&installed);
    assert!(Status::of(Some(&installed)).unwrap().is_installed(), "{installed}");
    assert_eq!(install(Some(&installed), &program).unwrap(), installed);

    let rest = uninstall(&installed).unwrap();
    if before.is_absent() {
        assert_eq!(rest.as_deref(), Some(text), "{installed}");
    }
    if let Some(rest) = rest {
        // A blank text is no JSON, and comes back as it was.
        if rest != text {
            assert_json(&rest);
        }
        assert!(Status::of(Some(&rest)).unwrap().is_absent(), "{rest}");
        assert_eq!(uninstall(&rest).unwrap().as_deref(), Some(rest.as_str()));
    }
}

fn assert_json(text: &str) {
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        panic!("{error}: {text}");
    }
}
